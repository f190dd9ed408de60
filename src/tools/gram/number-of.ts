import type { NumberValue } from "./document.ts";

/** Precision may be lost. */
export const numberOf = (value: NumberValue): number => {
  if (value.kind === "measurement") return Number(value.amount);
  return value.kind === "octal" ? Number.parseInt(value.text, 8) : Number(value.text);
};
