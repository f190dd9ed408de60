import { isDate, isDateTime, isDuration, isIsoDateTime, isIsoTime, isTime } from "./date-time.ts";
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
