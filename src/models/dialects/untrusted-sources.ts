import { isObject } from "../../base/json/is-object.ts";

const sourceMember =
  /citation|annotation|grounding|attribution|retriev|search_?result|url_?context|executed_?tool|^(context|documents?|references?|sources?|web_search)$/i;

/** Matched by name, because providers add such members without a new version. */
export const untrustedSourceNames = (value: unknown): readonly string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, member]) =>
        sourceMember.test(name) && !isEmpty(member) ? [name] : [],
      )
    : [];

const isEmpty = (member: unknown): boolean => {
  if (member === null || member === undefined || member === false || member === "") return true;
  return typeof member === "object" && Object.keys(member).length === 0;
};

/** Providers choose the name, so its length is limited. */
export const sourceName = (name: unknown): string =>
  typeof name === "string" && name !== "" ? name.slice(0, 100) : "unknown_item";
