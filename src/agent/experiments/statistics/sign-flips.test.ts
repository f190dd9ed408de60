import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adjustedPValues, minPairs, randomStream } from "./random-stream.ts";

const values = (...differences: readonly (readonly (number | undefined)[])[]) =>
  adjustedPValues(differences, randomStream(1, "test"));

describe("adjusted p-values", () => {
  it("need at least six inputs with the same sign", () => {
    expect(values([1, 2, 3, 1, 2, 3])).toEqual([2 / 64]);
    expect(values([1, 2, 3, 1, 2])).toEqual([2 / 32]);
    expect(minPairs(0.05)).toBe(6);
    expect(minPairs(0.025)).toBe(7);
  });

  it("do not change with a metric that repeats another", () => {
    const [alone] = values([1, 2, -0.5, 1, 2, 3, 1]);
    const tokens = [1, 2, -0.5, 1, 2, 3, 1];
    expect(
      values(
        tokens,
        tokens.map((each) => each * 3),
      ),
    ).toEqual([alone, alone]);
  });

  it("rise with an independent metric", () => {
    const [alone] = values([1, 2, -0.5, 1, 2, 3, 1, 1]);
    const [together] = values([1, 2, -0.5, 1, 2, 3, 1, 1], [1, -1, 2, -2, 1, -1, 2, -3]);
    expect(together).toBeGreaterThan(alone!);
  });

  it("are 1 without a difference, and ignore inputs without a pair", () => {
    expect(values([0, 0, 0, 0, 0, 0, 0])).toEqual([1]);
    expect(values([1, 2, 3, undefined, 1, 2, 3, undefined])).toEqual([2 / 64]);
    expect(values([])).toEqual([1]);
    expect(values()).toEqual([]);
  });

  it("agree between drawn and enumerated flips", () => {
    const differences = [0.9, 0.4, -0.3, 1.1, 0.2, -0.1, 0.7, 0.5, 0.3, -0.6, 0.8, 0.4, 0.1];
    const [exact] = values(differences);
    // One more input without a difference changes only the method of counting.
    const [drawn] = values([...differences, 0]);
    expect(Math.abs(drawn! - exact!)).toBeLessThan(0.005);
  });

  it("draw the sign of every input", () => {
    // Thirty of forty are positive: by the normal distribution, 0.16 % of all flips reach as far.
    const [value] = values(Array.from({ length: 40 }, (_, index) => (index < 30 ? 1 : -1)));
    expect(value).toBeGreaterThan(0.0005);
    expect(value).toBeLessThan(0.005);
  });

  it("are one in ten thousand when no drawn flip reaches the result", () => {
    expect(values(Array.from({ length: 60 }, () => 1))).toEqual([1 / 10_000]);
  });

  it("do not depend on units or direction", () => {
    const amount = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(fc.array(amount, { minLength: 2, maxLength: 9 }), (differences) => {
        const [value] = values(differences);
        expect(value).toBeGreaterThan(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(values(differences.map((each) => each * -1_000))).toEqual([value]);
      }),
      { numRuns: 100 },
    );
  });
});
