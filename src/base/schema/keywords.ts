import { canonicalJson } from "../json/canonical-json.ts";

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
