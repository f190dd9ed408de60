import type { JsonType } from "../../../base/schema/plain/plain-schema.ts";

/** Bits, so that the accepted types of a place fit in one number. */
export const jsonKindBits = {
  null: 1,
  boolean: 2,
  object: 4,
  array: 8,
  integer: 16,
  number: 48,
  string: 64,
} as const satisfies Record<JsonType, number>;

export const anyJsonKind = 127;

export const jsonKindOf = (value: unknown): number => {
  if (value === null) return jsonKindBits.null;
  if (Array.isArray(value)) return jsonKindBits.array;
  if (typeof value === "number") return Number.isInteger(value) ? jsonKindBits.integer : jsonKindBits.number;
  return jsonKindBits[typeof value as "boolean" | "object" | "string"];
};
