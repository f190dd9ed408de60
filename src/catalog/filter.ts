import type { Category, Risk, ToolSource } from "../words/spec.ts";
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
