import { secretKeys } from "../json/secrets/secret-keys.ts";
import { headOf } from "../text/cut-text.ts";
import { editDistance } from "../text/edit-distance.ts";
import type { Issue } from "../words/json.ts";
import { limits } from "./limits.ts";

/** What is wrong in one place. `what` goes on where the pointer ends: "/days" "must be integer, got null". */
export interface Finding {
  readonly keyword: string;
  readonly pointer: string;
  readonly what: string;
  readonly expected?: string;
  readonly received?: string;
}

export const shortened = (text: string, most: number): string => {
  return text.length > most ? `${headOf(text, most - 1)}…` : text;
};

export const toIssue = (finding: Finding): Issue => {
  const { pointer, expected } = finding;
  const { what, received } = isSecretKey(lastName(pointer)) ? withoutValue(finding) : finding;
  const where = pointer === "" ? "the value" : shortened(pointer, 200);
  return {
    pointer,
    message: shortened(`${where} ${what}`, limits.messageLength),
    ...(expected === undefined ? {} : { expected: shortened(expected, limits.messageLength) }),
    ...(received === undefined ? {} : { received }),
  };
};

const isSecretKey = secretKeys();

const lastName = (pointer: string): string => pointer.slice(pointer.lastIndexOf("/") + 1);

/** What stands under the name of a secret is not repeated, whatever is wrong with it. */
const withoutValue = ({ what, received }: Finding): Pick<Finding, "what" | "received"> => {
  if (received === undefined) return { what };
  const hidden = `${received.split(" ", 1)[0]} (not shown)`;
  return { what: what.replaceAll(received, hidden), received: hidden };
};

export const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** The beginning of a value as JSON. Looks at no more of it than it shows. */
const preview = (value: unknown, room: number): string => {
  if (typeof value === "string") return JSON.stringify(shortened(value, Math.max(room, 8)));
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  let text = "";
  for (const key in value) {
    if (text.length > room) {
      text += ",…";
      break;
    }
    const member = preview((value as Record<string, unknown>)[key], room - text.length - key.length);
    text += `${text === "" ? "" : ","}${isList ? "" : `${JSON.stringify(shortened(key, 40))}:`}${member}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
};

/** What came, in words. Of objects and lists only the outline: a member may be a secret. */
export const received = (value: unknown, secret?: true): string => {
  const name = typeName(value);
  if (value === null || value === undefined) return name;
  if (secret) return `${name} (not shown)`;
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value !== "object") {
    return shortened(`${name} ${preview(value, limits.receivedLength - 20)}`, limits.receivedLength);
  }
  const keys = Object.keys(value).slice(0, 5);
  return shortened(`object {${keys.join(", ")}${keys.length === 5 ? ", …" : ""}}`, limits.receivedLength);
};

/** Values a model may choose from; so many of them that it can. */
export const listed = (values: readonly unknown[], most = 20): string => {
  const shown = values.slice(0, most).map((value) => preview(value, 60));
  return `${shown.join(", ")}${values.length > most ? `, … (${values.length} in all)` : ""}`;
};

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");

/** The one of the names that was probably meant. */
export const nearest = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > 64) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.ceil(name.length / 3) + 1);
  for (const each of names.slice(0, 200)) {
    if (Math.abs(each.length - name.length) > 8) continue;
    const apart = folded(each) === folded(name) ? 0 : editDistance(each, name);
    if (apart < least) [best, least] = [each, apart];
  }
  return best;
};
