import type { NumberValue } from "./document.ts";

/** The nearest number; of a measurement, its amount. Digits beyond what a number holds are lost here, not before. */
export const numberOf = (value: NumberValue): number => {
  if (value.kind === "measurement") return Number(value.amount);
  return value.kind === "octal" ? Number.parseInt(value.text, 8) : Number(value.text);
};
