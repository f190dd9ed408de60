import { ToolDefinitionError } from "../../types/errors.ts";

/** The base is fixed; segments may contain `{names}`. */
export interface UrlTemplate {
  readonly base: URL;
  readonly segments: readonly string[];
  readonly names: ReadonlySet<string>;
}

export const placeholder = /\{([^{}]*)\}/g;

const templateError = (why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The url of an HTTP tool ${why}.`);

/** Split before parsing, which would encode the braces. */
export const readTemplate = (text: string): UrlTemplate => {
  const [, before = "", path = "", after = ""] = /^([^/?#]*\/\/[^/?#]*)([^?#]*)(.*)$/s.exec(text) ?? [];
  if (!/^https?:\/\/[^/]/i.test(before))
    throw templateError("must begin with http:// or https:// and a host");
  if (/[{}]/.test(before + after)) throw templateError("can have {names} only in its path; use `query`");
  // URL parsing would turn these into other segments.
  if (/[\\\p{Cc}]/u.test(before + path))
    throw templateError("must not contain a backslash or a control character");
  if (!URL.canParse(before + path + after)) throw templateError("cannot be read");
  const base = new URL(before + after);
  if (base.username !== "" || base.password !== "")
    throw templateError("must not contain a login; use `auth`");
  if (base.hash !== "") throw templateError("must not contain a fragment, which is never sent to a server");
  const names = new Set([...path.matchAll(placeholder)].map(([, name = ""]) => name));
  const literal = path.replaceAll(placeholder, "");
  if (names.has("") || /[{}]/.test(literal)) throw templateError("has a brace without a name");
  if (/%[0-9a-f]?\{/i.test(path)) throw templateError("has a percent sign that the input would complete");
  const segments = path.split("/");
  if (segments.some((segment) => isDotSegment(segment)))
    throw templateError("must not contain a segment of dots");
  return { base, segments, names };
};

/** `%2e` counts as a dot. */
export const isDotSegment = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);
