import type { Issue } from "../../types/json.ts";
import { secretKeys } from "../json/secrets/mask-secret-text.ts";
import { headOf } from "../text/cut-text.ts";
import { schemaLimits } from "./plain/plain-schema.ts";

/** `what` continues the sentence after the pointer: "/days" "must be integer, got null". */
export interface SchemaFinding {
  readonly keyword: string;
  readonly pointer: string;
  readonly what: string;
  readonly expected?: string;
  readonly received?: string;
}

export const shortened = (text: string, max: number): string => {
  return text.length > max ? `${headOf(text, max - 1)}…` : text;
};

export const toIssue = (finding: SchemaFinding): Issue => {
  const { pointer, expected } = finding;
  const { what, received } = isSecretKey(lastName(pointer)) ? withoutValue(finding) : finding;
  const where = pointer === "" ? "the value" : shortened(pointer, 200);
  return {
    pointer,
    message: shortened(`${where} ${what}`, schemaLimits.messageLength),
    ...(expected === undefined ? {} : { expected: shortened(expected, schemaLimits.messageLength) }),
    ...(received === undefined ? {} : { received }),
  };
};

const isSecretKey = secretKeys();

const lastName = (pointer: string): string => pointer.slice(pointer.lastIndexOf("/") + 1);

/** A value under a secret name is never repeated. */
const withoutValue = ({ what, received }: SchemaFinding): Pick<SchemaFinding, "what" | "received"> => {
  if (received === undefined) return { what };
  const hidden = `${received.split(" ", 1)[0]} (not shown)`;
  return { what: what.replaceAll(received, hidden), received: hidden };
};

export const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

/** Serializes only what is shown. */
const preview = (value: unknown, remaining: number): string => {
  if (typeof value === "string") return JSON.stringify(shortened(value, Math.max(remaining, 8)));
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  let text = "";
  for (const key in value) {
    if (text.length > remaining) {
      text += ",…";
      break;
    }
    const member = preview((value as Record<string, unknown>)[key], remaining - text.length - key.length);
    text += `${text === "" ? "" : ","}${isList ? "" : `${JSON.stringify(shortened(key, 40))}:`}${member}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
};

/** Objects and arrays in outline, because members may be secret. */
export const describeReceived = (value: unknown, secret?: true): string => {
  const name = typeName(value);
  if (value === null || value === undefined) return name;
  if (secret) return `${name} (not shown)`;
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value !== "object") {
    return shortened(
      `${name} ${preview(value, schemaLimits.receivedLength - 20)}`,
      schemaLimits.receivedLength,
    );
  }
  const keys = Object.keys(value).slice(0, 5);
  return shortened(
    `object {${keys.join(", ")}${keys.length === 5 ? ", …" : ""}}`,
    schemaLimits.receivedLength,
  );
};

export const joinValues = (values: readonly unknown[], most = 20): string => {
  const shown = values.slice(0, most).map((value) => preview(value, 60));
  return `${shown.join(", ")}${values.length > most ? `, … (${values.length} in all)` : ""}`;
};
