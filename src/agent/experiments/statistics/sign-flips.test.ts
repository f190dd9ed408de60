import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomStream } from "./random-stream.ts";
import { adjustedPValues, minPairs } from "./sign-flips.ts";

const values = (...differences: readonly (readonly (number | undefined)[])[]) =>
  adjustedPValues(differences, randomStream(1, "test"));

describe("sign flips", () => {
  it("six inputs that all point one way are the least that can be found", () => {
    expect(values([1, 2, 3, 1, 2, 3])).toEqual([2 / 64]);
    expect(values([1, 2, 3, 1, 2])).toEqual([2 / 32]);
    expect(minPairs(0.05)).toBe(6);
    expect(minPairs(0.025)).toBe(7);
  });

  it("a metric that only repeats another costs nothing", () => {
    const [alone] = values([1, 2, -0.5, 1, 2, 3, 1]);
    const tokens = [1, 2, -0.5, 1, 2, 3, 1];
    expect(
      values(
        tokens,
        tokens.map((each) => each * 3),
      ),
    ).toEqual([alone, alone]);
  });

  it("a metric of its own makes the others harder to find", () => {
    const [alone] = values([1, 2, -0.5, 1, 2, 3, 1, 1]);
    const [together] = values([1, 2, -0.5, 1, 2, 3, 1, 1], [1, -1, 2, -2, 1, -1, 2, -3]);
    expect(together).toBeGreaterThan(alone!);
  });

  it("what never differs is never found, and inputs without a pair do not count", () => {
    expect(values([0, 0, 0, 0, 0, 0, 0])).toEqual([1]);
    expect(values([1, 2, 3, undefined, 1, 2, 3, undefined])).toEqual([2 / 64]);
    expect(values([])).toEqual([1]);
    expect(values()).toEqual([]);
  });

  it("drawn flips agree with all of them", () => {
    const differences = [0.9, 0.4, -0.3, 1.1, 0.2, -0.1, 0.7, 0.5, 0.3, -0.6, 0.8, 0.4, 0.1];
    const [exact] = values(differences);
    // One further input that never differs changes nothing but the way to count.
    const [drawn] = values([...differences, 0]);
    expect(Math.abs(drawn! - exact!)).toBeLessThan(0.005);
  });

  it("of many inputs every sign is drawn, not only those of the first", () => {
    // Thirty of forty point one way: by the normal distribution 0.16 % of all flips reach as far.
    const [value] = values(Array.from({ length: 40 }, (_, index) => (index < 30 ? 1 : -1)));
    expect(value).toBeGreaterThan(0.0005);
    expect(value).toBeLessThan(0.005);
  });

  it("a finding that no drawn flip reaches is one in ten thousand: the one that was seen", () => {
    expect(values(Array.from({ length: 60 }, () => 1))).toEqual([1 / 10_000]);
  });

  it("neither units nor the direction matter", () => {
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
