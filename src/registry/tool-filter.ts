import { checkFields } from "../json/check-fields.ts";
import type { Category, Risk, ToolSource, ToolSpec } from "../words/spec.ts";
import type { Origin, Registration } from "../words/tool.ts";
import { namespaceOf } from "./place.ts";

type OneOf<A> = A | readonly A[];

/** Every field that is given must fit; of a list, one entry is enough. */
export interface ToolFilter {
  readonly category?: OneOf<Category>;
  readonly source?: OneOf<ToolSource>;
  readonly risk?: OneOf<Risk>;
  readonly tags?: OneOf<string>;
  readonly namespace?: OneOf<string>;
  readonly origin?: OneOf<Origin>;
}

const fields = {
  category: true,
  source: true,
  risk: true,
  tags: true,
  namespace: true,
  origin: true,
} satisfies Record<keyof ToolFilter, true>;

/** A misspelled field would let every tool through, so it is refused by name. */
export const checkFilter = (filter: ToolFilter): void =>
  checkFields("The filter of a list", filter, Object.keys(fields));

/** A spec as a list shows it: with the full name that the tool answers to here, and where it is from. */
export interface ListedTool extends ToolSpec {
  /** `tool`, `ns/tool` or `org/ns/tool`. */
  readonly fullName: string;
  readonly origin: Origin;
}

export const toListed = ({ key, origin, tool }: Registration): ListedTool =>
  Object.freeze({ ...tool.spec, fullName: key, origin });

export const fits = (registration: Registration, filter: ToolFilter): boolean => {
  const { spec } = registration.tool;
  return (
    holds(filter.category, spec.category) &&
    holds(filter.source, spec.source) &&
    holds(filter.risk, spec.risk) &&
    holds(filter.origin, registration.origin) &&
    (filter.tags === undefined || spec.tags.some((tag) => holds(filter.tags, tag))) &&
    (filter.namespace === undefined || holds<string | undefined>(filter.namespace, namespaceOf(registration)))
  );
};

const holds = <A>(wanted: OneOf<A> | undefined, given: A): boolean => {
  if (wanted === undefined) return true;
  return Array.isArray(wanted) ? wanted.includes(given) : wanted === given;
};
