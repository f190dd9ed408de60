import { isEmail, isHostname, isIpv4, isIpv6 } from "./host.ts";
import {
  isJsonPointer,
  isJsonPointerFragment,
  isRelativeJsonPointer,
  isUri,
  isUriReference,
  isUriTemplate,
  isUrl,
} from "./uri.ts";

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
