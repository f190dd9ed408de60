const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const timePattern = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(.*)$/s;
const offsetPattern = /^(?:z|([+-])(\d\d):(\d\d))$/i;
const looseOffsetPattern = /^(?:z|([+-])(\d\d)(?::?(\d\d))?)?$/i;

const minutesPerDay = 24 * 60;

/** `full-date` of RFC 3339. */
const isDate = (text: string): boolean => {
  const [, year, month, day] = datePattern.exec(text) ?? [];
  if (year === undefined) return false;
  return Number(day) >= 1 && Number(day) <= daysInMonth(Number(year), Number(month));
};

const daysInMonth = (year: number, month: number): number => {
  if (month < 1 || month > 12) return 0;
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapYear ? 29 : 28;
};

const timeCheck =
  (allowedOffset: RegExp) =>
  (text: string): boolean => {
    const [, hour, minute, second, zone] = timePattern.exec(text) ?? [];
    if (zone === undefined) return false;
    const offset = allowedOffset.exec(zone);
    if (offset === null) return false;
    const [, sign, offsetHour = "0", offsetMinute = "0"] = offset;
    if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return false;
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return false;
    if (Number(second) < 60) return true;
    // A leap second is the last second of a day in UTC.
    const shift = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === "-" ? -1 : 1);
    const utc = Number(hour) * 60 + Number(minute) - shift;
    return (utc + minutesPerDay) % minutesPerDay === minutesPerDay - 1;
  };

/** `full-time` of RFC 3339. */
const isTime = timeCheck(offsetPattern);

/** The offset is optional and may omit the colon. */
const isIsoTime = timeCheck(looseOffsetPattern);

const dateTimeCheck =
  (separator: RegExp, isTimePart: (text: string) => boolean) =>
  (text: string): boolean =>
    isDate(text.slice(0, 10)) && separator.test(text.charAt(10)) && isTimePart(text.slice(11));

/** `date-time` of RFC 3339. */
const isDateTime = dateTimeCheck(/^t$/i, isTime);

/** Also allows white space as separator. */
const isIsoDateTime = dateTimeCheck(/^[t\s]$/i, isIsoTime);

const durationTime = String.raw`T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)`;
const durationDate = String.raw`(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)`;
const durationPattern = new RegExp(`^P(?:${durationDate}(?:${durationTime})?|${durationTime}|\\d+W)$`);

/** `duration` of RFC 3339, appendix A. */
const isDuration = (text: string): boolean => durationPattern.test(text);

export type FormatCheck = (value: unknown) => boolean;

const forText =
  (check: (text: string) => boolean): FormatCheck =>
  (value) =>
    typeof value !== "string" || check(value);

const forNumber =
  (check: (number: number) => boolean): FormatCheck =>
  (value) =>
    typeof value !== "number" || check(value);

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const notBase64 = /[^a-z0-9+/]/i;

const isRegex = (text: string): boolean => {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
};

/** With padding, as in OpenAPI's `byte`. */
const isBase64 = (text: string): boolean =>
  text.length % 4 === 0 && !notBase64.test(text.replace(/={1,2}$/, ""));

const isInteger =
  (bits: number) =>
  (number: number): boolean =>
    Number.isInteger(number) && number >= -(2 ** (bits - 1)) && number < 2 ** (bits - 1);

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

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** RFC 1123, without a trailing dot. */
const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split(".").every((each) => label.test(each));

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const isIpv4 = (text: string): boolean => ipv4.test(text);

const maxIpv6Length = 45;
const group = /^[0-9a-f]{1,4}$/i;

/** RFC 4291, section 2.2, without a zone. */
const isIpv6 = (text: string): boolean => {
  if (text.length > maxIpv6Length) return false;
  const [left = "", right, ...more] = text.split("::");
  if (more.length > 0) return false;
  const before = left === "" ? [] : left.split(":");
  const after = right === undefined || right === "" ? [] : right.split(":");
  const groups = [...before, ...after];
  const last = groups.at(-1) ?? "";
  const hasIpv4 = last.includes(".");
  if (hasIpv4 && (right === "" || !isIpv4(last))) return false;
  const isHex = (hasIpv4 ? groups.slice(0, -1) : groups).every((each) => group.test(each));
  const length = groups.length + (hasIpv4 ? 1 : 0);
  return isHex && (right === undefined ? length === 8 : length < 8);
};

const atoms = /[^a-z0-9!#$%&'*+/=?^_`{|}~.-]/i;
const quoted = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"$/;
const maxLocalPartLength = 64;
const maxEmailLength = 320;

/** `Mailbox` of RFC 5321. */
const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > maxEmailLength) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  const isDotted = !atoms.test(local) && !local.split(".").includes("");
  if (local.length > maxLocalPartLength || !(isDotted || quoted.test(local))) return false;
  if (!domain.startsWith("[")) return isHostname(domain);
  if (!domain.endsWith("]")) return false;
  const address = domain.slice(1, -1);
  return isIpv4(address) || (/^ipv6:/i.test(address) && isIpv6(address.slice(5)));
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

const isUri = (text: string): boolean => {
  const found = scheme.exec(text);
  return found !== null && !brokenEscape.test(text) && isHierarchy(text.slice(found[0].length));
};

const isUriReference = (text: string): boolean => {
  if (isUri(text)) return true;
  const [firstSegment = ""] = text.split(/[/?#]/, 1);
  return !firstSegment.includes(":") && !brokenEscape.test(text) && isHierarchy(text);
};

const isUrl = (text: string): boolean => /^(?:https?|ftp):\/\/[^/?#]/i.test(text) && isUri(text);

// RFC 6570, section 2.1: these characters are in no literal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule of the RFC is about control characters.
const notLiteral = /[\x00-\x20"'<>\\^`{|}\x7f-\x9f]/;
const variable = /^(?:\w|%[0-9a-f]{2})(?:\.?(?:\w|%[0-9a-f]{2}))*(?::[1-9]\d{0,3}|\*)?$/i;

/** RFC 6570. */
const isUriTemplate = (text: string): boolean => {
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
const isJsonPointer = (text: string): boolean =>
  (text === "" || text.startsWith("/")) && !brokenTilde.test(text);

/** RFC 6901, section 6. */
const isJsonPointerFragment = (text: string): boolean => {
  if (!text.startsWith("#") || notQuery.test(text.slice(1))) return false;
  try {
    return isJsonPointer(decodeURIComponent(text.slice(1)));
  } catch {
    return false;
  }
};

const isRelativeJsonPointer = (text: string): boolean => {
  const [prefix] = /^(?:0|[1-9]\d*)/.exec(text) ?? [];
  if (prefix === undefined) return false;
  const rest = text.slice(prefix.length);
  return rest === "#" || isJsonPointer(rest);
};

/** Draft 2020-12 without internationalized formats, and OpenAPI. Every check is linear. */
const formatChecks: ReadonlyMap<string, FormatCheck> = new Map([
  ["date", forText(isDate)],
  ["time", forText(isTime)],
  ["date-time", forText(isDateTime)],
  ["iso-time", forText(isIsoTime)],
  ["iso-date-time", forText(isIsoDateTime)],
  ["duration", forText(isDuration)],
  ["uri", forText(isUri)],
  ["uri-reference", forText(isUriReference)],
  ["uri-template", forText(isUriTemplate)],
  ["url", forText(isUrl)],
  ["email", forText(isEmail)],
  ["hostname", forText(isHostname)],
  ["ipv4", forText(isIpv4)],
  ["ipv6", forText(isIpv6)],
  ["regex", forText(isRegex)],
  ["uuid", forText((text) => uuid.test(text))],
  ["json-pointer", forText(isJsonPointer)],
  ["json-pointer-uri-fragment", forText(isJsonPointerFragment)],
  ["relative-json-pointer", forText(isRelativeJsonPointer)],
  ["byte", forText(isBase64)],
  ["int32", forNumber(isInteger(32))],
  ["int64", forNumber(isInteger(64))],
  ["float", forNumber(Number.isFinite)],
  ["double", forNumber(Number.isFinite)],
]);

export const formatNames: readonly string[] = [...formatChecks.keys()];

export const formatCheck = (name: string): FormatCheck | undefined => formatChecks.get(name);
