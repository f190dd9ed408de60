import type { JsonType } from "../../../schema/plain/plain-schema.ts";

/** Kinds of JSON values as bits, so that what a place accepts is one number. */
export const kinds = {
  null: 1,
  boolean: 2,
  object: 4,
  array: 8,
  integer: 16,
  number: 48,
  string: 64,
} as const satisfies Record<JsonType, number>;

export const anyKind = 127;

export const kindOf = (value: unknown): number => {
  if (value === null) return kinds.null;
  if (Array.isArray(value)) return kinds.array;
  if (typeof value === "number") return Number.isInteger(value) ? kinds.integer : kinds.number;
  return kinds[typeof value as "boolean" | "object" | "string"];
};
