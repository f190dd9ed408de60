import { isObject } from "../../base/json/is-object.ts";

/** Members by which providers report what they searched, read or quoted. */
const sourceMember =
  /citation|annotation|grounding|attribution|retriev|search_?result|url_?context|executed_?tool|^(context|documents?|references?|sources?|web_search)$/i;

/**
 * Names of the members of a foreign object that report content from elsewhere. Providers add such members without a new
 * version, so they are recognized by name. Empty ones report nothing.
 */
export const sourceMembers = (value: unknown): readonly string[] =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, member]) =>
        sourceMember.test(name) && !isEmpty(member) ? [name] : [],
      )
    : [];

const isEmpty = (member: unknown): boolean => {
  if (member === null || member === undefined || member === false || member === "") return true;
  return typeof member === "object" && Object.keys(member).length === 0;
};

/** As the name of a source: providers choose it, so it is kept short. */
export const sourceName = (name: unknown): string =>
  typeof name === "string" && name !== "" ? name.slice(0, 100) : "unknown_item";
