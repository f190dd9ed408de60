import { describe, expect, it } from "vitest";
import { randomStream } from "../statistics/random-stream.ts";
import { agreementInterval, areNearlyEqual, bootstrapInterval, type Interval } from "./compare-arms.ts";

const confidence = 0.95;

/** The interval for `size` inputs, of which `up` are better and `down` are worse. */
const intervalOf = (size: number, up: number, down: number): Interval => {
  const values = Array.from({ length: size }, (_, at) => (at < up ? 1 : at < up + down ? -1 : 0));
  return areNearlyEqual(values)
    ? agreementInterval(values[0]!, size, [-1, 1], confidence)
    : bootstrapInterval(values, confidence, randomStream(1, `${size}/${up}/${down}`));
};

const logFactorial = (count: number): number =>
  Array.from({ length: count }, (_, at) => Math.log(at + 1)).reduce((sum, each) => sum + each, 0);

/** The probability of these counts when an input is better with `better` and worse with `worse`. */
const probability = (size: number, up: number, down: number, better: number, worse: number): number => {
  const counts = [up, down, size - up - down];
  const chances = [better, worse, 1 - better - worse];
  const logs = counts.map((count, at) => (count === 0 ? 0 : count * Math.log(Math.max(chances[at]!, 0))));
  const ways = logFactorial(size) - counts.reduce((sum, count) => sum + logFactorial(count), 0);
  return Math.exp(logs.reduce((sum, each) => sum + each, ways));
};

const chances = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 1];

describe("interval of a share", () => {
  it.each([6, 7, 10, 20])("covers the true value for %i inputs, over every outcome", (size) => {
    const outcomes = Array.from({ length: size + 1 }, (_, up) =>
      Array.from({ length: size + 1 - up }, (_, down) => ({ up, down, ...intervalOf(size, up, down) })),
    ).flat();
    for (const better of chances) {
      for (const worse of chances.filter((each) => better + each <= 1)) {
        const truth = better - worse;
        let held = 0;
        let missedInAgreement = 0;
        for (const { up, down, low, high } of outcomes) {
          const isHeld = low <= truth + 1e-9 && high >= truth - 1e-9;
          const weight = probability(size, up, down, better, worse);
          if (isHeld) held += weight;
          else if (up === size || down === size || up + down === 0) missedInAgreement += weight;
        }
        expect(held, `better ${better}, worse ${worse}`).toBeGreaterThan(0.9);
        expect(missedInAgreement).toBeLessThanOrEqual(1 - confidence);
      }
    }
  });

  it("narrows with the number of inputs that agree", () => {
    const widths = [6, 12, 50, 1000].map((size) => {
      const { low, high } = agreementInterval(1, size, [-1, 1], confidence);
      expect(high).toBe(1);
      return high - low;
    });
    expect(widths).toEqual(widths.toSorted((one, other) => other - one));
    expect(widths.at(-1)).toBeLessThan(0.01);
  });
});

it("treats values as equal that differ only in their last digit", () => {
  expect(areNearlyEqual([0.1 + 0.2, 0.3])).toBe(true);
  expect(areNearlyEqual([0, 0])).toBe(true);
  expect(areNearlyEqual([0.3, 0.300001])).toBe(false);
  expect(areNearlyEqual([0, 1e-9])).toBe(false);
});
