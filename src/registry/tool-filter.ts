import { checkFields } from "../base/json/check-fields.ts";
import type { Category, Risk, ToolSource, ToolSpec } from "../types/spec.ts";
import type { Registration, ToolOrigin } from "../types/tool.ts";
import { namespaceOf } from "./place.ts";

type OneOrMany<A> = A | readonly A[];

/** All given fields must match; one entry of a list is enough. */
export interface ToolFilter {
  readonly category?: OneOrMany<Category>;
  readonly source?: OneOrMany<ToolSource>;
  readonly risk?: OneOrMany<Risk>;
  readonly tags?: OneOrMany<string>;
  readonly namespace?: OneOrMany<string>;
  readonly origin?: OneOrMany<ToolOrigin>;
}

const filterFields = {
  category: true,
  source: true,
  risk: true,
  tags: true,
  namespace: true,
  origin: true,
} satisfies Record<keyof ToolFilter, true>;

/** A misspelled field would match every tool. */
export const checkFilter = (filter: ToolFilter): void =>
  checkFields("The filter of a list", filter, Object.keys(filterFields));

/** A spec as lists show it, with the full name and the origin of the tool. */
export interface ListedTool extends ToolSpec {
  /** `tool`, `ns/tool` or `org/ns/tool`. */
  readonly fullName: string;
  readonly origin: ToolOrigin;
}

export const toListed = ({ key, origin, tool }: Registration): ListedTool =>
  Object.freeze({ ...tool.spec, fullName: key, origin });

export const matchesFilter = (registration: Registration, filter: ToolFilter): boolean => {
  const { spec } = registration.tool;
  return (
    includesValue(filter.category, spec.category) &&
    includesValue(filter.source, spec.source) &&
    includesValue(filter.risk, spec.risk) &&
    includesValue(filter.origin, registration.origin) &&
    (filter.tags === undefined || spec.tags.some((tag) => includesValue(filter.tags, tag))) &&
    (filter.namespace === undefined ||
      includesValue<string | undefined>(filter.namespace, namespaceOf(registration)))
  );
};

const includesValue = <A>(wanted: OneOrMany<A> | undefined, given: A): boolean => {
  if (wanted === undefined) return true;
  return Array.isArray(wanted) ? wanted.includes(given) : wanted === given;
};
