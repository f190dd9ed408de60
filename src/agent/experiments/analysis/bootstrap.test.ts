import { describe, expect, it } from "vitest";
import { type RandomSource, randomStream } from "../statistics/random-stream.ts";
import { bootstrapInterval } from "./compare-arms.ts";

const normal = (random: RandomSource): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

describe("bootstrap interval", () => {
  it("surrounds the mean and depends on the seed", () => {
    const differences = [1, 3, 2, 4, 2, 3, 1, 4];
    const one = bootstrapInterval(differences, 0.95, randomStream(1, "x"));
    expect(one).toEqual(bootstrapInterval(differences, 0.95, randomStream(1, "x")));
    expect((one.low + one.high) / 2).toBeCloseTo(2.5);
    expect(one.low).toBeGreaterThan(1);
    expect(one.high).toBeLessThan(4);
  });

  it("is a point when every input has the same difference", () => {
    expect(bootstrapInterval([2, 2, 2, 2], 0.95, randomStream(1, "x"))).toEqual({ low: 2, high: 2 });
  });

  it("is finite when a single input differs", () => {
    const { low, high } = bootstrapInterval([0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 0.95, randomStream(1, "x"));
    expect(low).toBeLessThan(0);
    expect(high).toBeLessThan(1);
  });

  it("covers the true mean as often as stated for normal, skewed and binary differences", () => {
    const kinds: readonly ((random: RandomSource) => number)[] = [
      normal,
      (random) => Math.exp(normal(random) * 0.6) - Math.exp(0.18),
      (random) => (random() < 0.3 ? 1 : 0) - (random() < 0.3 ? 1 : 0),
    ];
    for (const draw of kinds) {
      const random = randomStream(11, "coverage");
      let held = 0;
      for (let i = 0; i < 200; i++) {
        const sample = Array.from({ length: 10 }, () => draw(random));
        const { low, high } = bootstrapInterval(sample, 0.95, random);
        if (low <= 0 && high >= 0) held += 1;
      }
      expect(held).toBeGreaterThanOrEqual(176);
    }
  });
});
