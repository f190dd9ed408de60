import { isMultipleOf } from "../keywords.ts";
import type { PlainKeywords } from "../plain/plain-schema.ts";
import { type Fact, type IncompatibilityReason, type ProofPosition, reasonAt } from "./claim.ts";

/** Missing bounds are infinite. */
export interface NumberRange {
  readonly low: number;
  readonly lowOpen: boolean;
  readonly high: number;
  readonly highOpen: boolean;
  readonly divisors: readonly number[];
  readonly step: number;
}

type RangeEnds = Pick<NumberRange, "low" | "lowOpen" | "high" | "highOpen">;

export const numberRange = (facts: readonly Fact[], kind: "fraction" | "integer"): NumberRange => {
  let ends: RangeEnds = {
    low: Number.NEGATIVE_INFINITY,
    lowOpen: false,
    high: Number.POSITIVE_INFINITY,
    highOpen: false,
  };
  const divisors: number[] = kind === "integer" ? [1] : [];
  for (const { node } of facts) {
    ends = withLowerBound(withLowerBound(ends, node.minimum, false), node.exclusiveMinimum, true);
    ends = withUpperBound(withUpperBound(ends, node.maximum, false), node.exclusiveMaximum, true);
    if (node.multipleOf !== undefined) divisors.push(node.multipleOf);
  }
  if (kind === "fraction") return { ...ends, divisors, step: 0 };
  return { ...toIntegerEnds(ends, divisors), divisors };
};

const withLowerBound = (ends: RangeEnds, bound: number | undefined, open: boolean): RangeEnds =>
  bound === undefined || bound < ends.low || (bound === ends.low && !open)
    ? ends
    : { ...ends, low: bound, lowOpen: open };

const withUpperBound = (ends: RangeEnds, bound: number | undefined, open: boolean): RangeEnds =>
  bound === undefined || bound > ends.high || (bound === ends.high && !open)
    ? ends
    : { ...ends, high: bound, highOpen: open };

/** Above this, multiples may not be exact. */
const maxExactInteger = 2 ** 40;

const toIntegerEnds = (
  ends: RangeEnds,
  divisors: readonly number[],
): RangeEnds & { readonly step: number } => {
  const step = Math.max(1, ...divisors.filter((each) => Number.isInteger(each) && each < maxExactInteger));
  let { low, lowOpen, high, highOpen } = ends;
  if (Math.abs(low) < maxExactInteger) {
    low = Math.ceil(low / step) * step;
    if (lowOpen && low === ends.low) low += step;
    lowOpen = false;
  }
  if (Math.abs(high) < maxExactInteger) {
    high = Math.floor(high / step) * step;
    if (highOpen && high === ends.high) high -= step;
    highOpen = false;
  }
  // Converts -0 to 0.
  return { low: low + 0, lowOpen, high: high + 0, highOpen, step };
};

export const isEmptyRange = (facts: readonly Fact[], kind: "fraction" | "integer"): boolean => {
  const { low, lowOpen, high, highOpen, divisors } = numberRange(facts, kind);
  if (low > high || (low === high && (lowOpen || highOpen))) return true;
  return kind === "fraction" && divisors.some((each) => Number.isInteger(each));
};

export const proveNumber = (
  facts: readonly Fact[],
  kind: "fraction" | "integer",
  goal: PlainKeywords,
  at: ProofPosition,
): readonly IncompatibilityReason[] => {
  const view = numberRange(facts, kind);
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = goal;
  const reasons: IncompatibilityReason[] = [];
  if (minimum !== undefined && view.low < minimum) {
    reasons.push(reasonAt(at, "minimum", fromBelow(view), `at least ${minimum}`));
  }
  if (
    exclusiveMinimum !== undefined &&
    !(view.low > exclusiveMinimum || isAt(view, "low", exclusiveMinimum))
  ) {
    reasons.push(reasonAt(at, "exclusiveMinimum", fromBelow(view), `greater than ${exclusiveMinimum}`));
  }
  if (maximum !== undefined && view.high > maximum) {
    reasons.push(reasonAt(at, "maximum", fromAbove(view), `at most ${maximum}`));
  }
  if (
    exclusiveMaximum !== undefined &&
    !(view.high < exclusiveMaximum || isAt(view, "high", exclusiveMaximum))
  ) {
    reasons.push(reasonAt(at, "exclusiveMaximum", fromAbove(view), `less than ${exclusiveMaximum}`));
  }
  if (multipleOf !== undefined && !view.divisors.some((each) => isMultipleOf(each, multipleOf))) {
    const own = facts.flatMap(({ node }) => node.multipleOf ?? []);
    const may = own.length === 0 ? "any number" : `any multiple of ${own.join(" and ")}`;
    reasons.push(reasonAt(at, "multipleOf", may, `a multiple of ${multipleOf}`));
  }
  return reasons;
};

const isAt = (view: NumberRange, end: "low" | "high", bound: number): boolean =>
  view[end] === bound && view[`${end}Open`];

const fromBelow = ({ low, lowOpen }: NumberRange): string => {
  if (low === Number.NEGATIVE_INFINITY) return "any number, however small";
  return lowOpen ? `just above ${low}` : `as small as ${low}`;
};

const fromAbove = ({ high, highOpen }: NumberRange): string => {
  if (high === Number.POSITIVE_INFINITY) return "any number, however large";
  return highOpen ? `just below ${high}` : `as large as ${high}`;
};
