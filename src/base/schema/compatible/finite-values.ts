import type { Fact } from "./claim.ts";
import { numberRange } from "./numbers.ts";
import type { Prover } from "./prover.ts";
import { type ValueKind, valueKindOf } from "./value-kind.ts";

const maxListedRange = 64;

export const finiteValues = (
  prover: Prover,
  facts: readonly Fact[],
  kind: ValueKind,
): readonly unknown[] | undefined =>
  listValues(facts, kind)?.filter(
    (value) => valueKindOf(value) === kind && facts.every((fact) => prover.holds(fact, value)),
  );

const listValues = (facts: readonly Fact[], kind: ValueKind): readonly unknown[] | undefined => {
  let fewest: readonly unknown[] | undefined;
  for (const { node } of facts) {
    const values = node.enum ?? node.values;
    if (values !== undefined && values.length < (fewest?.length ?? Number.POSITIVE_INFINITY)) fewest = values;
  }
  if (fewest !== undefined) return fewest;
  if (kind === "null") return [null];
  if (kind === "boolean") return [true, false];
  if (kind === "integer" || kind === "fraction") return integersInRange(facts, kind);
  if (kind === "string") return facts.some(({ node }) => node.maxLength === 0) ? [""] : undefined;
  if (kind === "array") return facts.some(({ node }) => node.maxItems === 0) ? [[]] : undefined;
  return facts.some(({ node }) => node.maxProperties === 0) ? [{}] : undefined;
};

const integersInRange = (
  facts: readonly Fact[],
  kind: "fraction" | "integer",
): readonly number[] | undefined => {
  const { low, high, step } = numberRange(facts, kind);
  if (low > high) return [];
  if (low === high) return [low];
  if (kind === "fraction" || !((high - low) / step < maxListedRange)) return undefined;
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => low + index * step);
};
