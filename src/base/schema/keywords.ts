import type { JsonSchema } from "../../types/json.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { subschemas } from "./plain/schema-dialect.ts";

const isPrimitive = (value: unknown): boolean => typeof value !== "object" || value === null;

export const findDuplicate = (items: readonly unknown[]): readonly [number, number] | undefined => {
  const primitives = new Map<unknown, number>();
  const others = new Map<string, number>();
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const seen: Map<unknown, number> = isPrimitive(item) ? primitives : others;
    const key = isPrimitive(item) ? item : canonicalJson(item);
    const first = seen.get(key);
    if (first !== undefined) return [first, index];
    seen.set(key, index);
  }
  return undefined;
};

export const isOneOf = (values: readonly unknown[]): ((value: unknown) => boolean) => {
  const primitives = new Set(values.filter(isPrimitive));
  const others = new Set(values.filter((value) => !isPrimitive(value)).map(canonicalJson));
  return (value) => (isPrimitive(value) ? primitives.has(value) : others.has(canonicalJson(value)));
};

const toDecimal = (value: number): readonly [digits: bigint, exponent: number] => {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
};

/** Decimal arithmetic: 4.35 is a multiple of 0.01. */
export const isMultipleOf = (value: number, divisor: number): boolean => {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = toDecimal(value);
  const [step, stepExponent] = toDecimal(divisor);
  const common = Math.min(exponent, stepExponent);
  return (digits * 10n ** BigInt(exponent - common)) % (step * 10n ** BigInt(stepExponent - common)) === 0n;
};

export const withoutDefaults = (schema: JsonSchema): JsonSchema => stripDefaults(schema) as JsonSchema;

const stripDefaults = (schema: unknown): unknown => {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => keyword !== "default");
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, stripKeyword(keyword, value)]));
};

const stripKeyword = (keyword: string, value: unknown): unknown => {
  const place = subschemas.get(keyword);
  if (place === "map" && typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stripDefaults(each)]));
  }
  return place !== undefined && Array.isArray(value)
    ? value.map(stripDefaults)
    : place === undefined
      ? value
      : stripDefaults(value);
};
