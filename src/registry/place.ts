import { checkFields } from "../base/json/check-fields.ts";
import { checkToolName, confusableKey } from "../tools/tool-name.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Category, Registration, Risk, ToolOrigin, ToolSource, ToolSpec } from "../types/tool.ts";
import { checkNamespace } from "./toolbox.ts";

/** Where a tool is registered. Internal tools have no namespace; all others need one. */
export interface ToolPlace {
  readonly origin: ToolOrigin;
  readonly namespace?: string;
  /** First segment of an organization's tools; default `org`. */
  readonly org?: string;
  /**
   * Takes the short name from an internal tool that has it. Default false, so that tools of a server cannot
   * replace existing ones.
   */
  readonly overrides?: boolean;
}

export const internalPlace: ToolPlace = Object.freeze({ origin: "internal" });

export const toFullName = (name: string, { origin, namespace, org }: ToolPlace): string => {
  checkToolName(name);
  if (origin === "internal") {
    if (namespace === undefined && org === undefined) return name;
    throw new ConfigurationError(
      "invalid_config",
      `The internal tool "${name}" has no namespace; set the origin "project" or "org" to put it in one.`,
    );
  }
  checkNamespace(namespace ?? "");
  if (origin === "project") {
    if (org === undefined) return `${namespace}/${name}`;
    throw new ConfigurationError(
      "invalid_config",
      `The project tool "${name}" has no org; its origin would be "org".`,
    );
  }
  const first = org ?? "org";
  checkNamespace(first);
  return `${first}/${namespace}/${name}`;
};

export const toLookalikeKey = (key: string): string => key.split("/").map(confusableKey).join("/");

export const namespaceOf = ({ key, origin }: Registration): string | undefined =>
  origin === "internal" ? undefined : key.split("/").at(-2);

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
