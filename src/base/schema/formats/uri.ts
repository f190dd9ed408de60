import { isIpv6 } from "./host.ts";

const brokenEscape = /%(?![0-9a-f]{2})/i;
const notUserInfo = /[^a-z0-9\-._~!$&'()*+,;=:%]/i;
const notRegisteredName = /[^a-z0-9\-._~!$&'()*+,;=%]/i;
const notPath = /[^a-z0-9\-._~!$&'()*+,;=:@%/]/i;
const notQuery = /[^a-z0-9\-._~!$&'()*+,;=:@%/?]/i;
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const futureAddress = /^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i;
const port = /^(?::\d*)?$/;

const splitAt = (text: string, mark: string): readonly [before: string, after: string | undefined] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
};

const isAuthority = (text: string): boolean => {
  const [user, rest] = splitAt(text, "@");
  if (rest !== undefined && notUserInfo.test(user)) return false;
  const host = rest ?? user;
  if (!host.startsWith("[")) {
    const [name, after] = splitAt(host, ":");
    return !notRegisteredName.test(name) && port.test(after === undefined ? "" : `:${after}`);
  }
  const end = host.indexOf("]");
  const address = host.slice(1, end);
  return end > 0 && port.test(host.slice(end + 1)) && (isIpv6(address) || futureAddress.test(address));
};

/** RFC 3986 section 3, after the scheme. */
const isHierarchy = (text: string): boolean => {
  const [beforeFragment, fragment = ""] = splitAt(text, "#");
  const [hierarchy, query = ""] = splitAt(beforeFragment, "?");
  if (notQuery.test(fragment) || notQuery.test(query)) return false;
  if (!hierarchy.startsWith("//")) return !notPath.test(hierarchy);
  const slash = hierarchy.indexOf("/", 2);
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || !notPath.test(hierarchy.slice(slash)));
};

export const isUri = (text: string): boolean => {
  const found = scheme.exec(text);
  return found !== null && !brokenEscape.test(text) && isHierarchy(text.slice(found[0].length));
};

export const isUriReference = (text: string): boolean => {
  if (isUri(text)) return true;
  const [firstSegment = ""] = text.split(/[/?#]/, 1);
  return !firstSegment.includes(":") && !brokenEscape.test(text) && isHierarchy(text);
};

export const isUrl = (text: string): boolean => /^(?:https?|ftp):\/\/[^/?#]/i.test(text) && isUri(text);

// RFC 6570, section 2.1: these characters are in no literal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule of the RFC is about control characters.
const notLiteral = /[\x00-\x20"'<>\\^`{|}\x7f-\x9f]/;
const variable = /^(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?::[1-9]\d{0,3}|\*)?$/i;

/** RFC 6570. */
export const isUriTemplate = (text: string): boolean => {
  const [literal = "", ...expressions] = text.split("{");
  const isLiteral = (part: string): boolean => !notLiteral.test(part) && !brokenEscape.test(part);
  return (
    isLiteral(literal) &&
    expressions.every((each) => {
      const [expression, after] = splitAt(each, "}");
      const variables = expression.replace(/^[+#./;?&=,!@|]/, "").split(",");
      return after !== undefined && isLiteral(after) && variables.every((name) => variable.test(name));
    })
  );
};

const brokenTilde = /~(?![01])/;

/** RFC 6901. */
export const isJsonPointer = (text: string): boolean =>
  (text === "" || text.startsWith("/")) && !brokenTilde.test(text);

/** RFC 6901, section 6. */
export const isJsonPointerFragment = (text: string): boolean => {
  if (!text.startsWith("#") || notQuery.test(text.slice(1))) return false;
  try {
    return isJsonPointer(decodeURIComponent(text.slice(1)));
  } catch {
    return false;
  }
};

export const isRelativeJsonPointer = (text: string): boolean => {
  const [prefix] = /^(?:0|[1-9]\d*)/.exec(text) ?? [];
  if (prefix === undefined) return false;
  const rest = text.slice(prefix.length);
  return rest === "#" || isJsonPointer(rest);
};
