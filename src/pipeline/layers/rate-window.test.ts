import fc from "fast-check";
import { expect, test } from "vitest";
import { RateWindow, readRate } from "./limit.ts";

test.each([
  ["1 per second", { count: 1, millis: 1_000 }],
  ["100 per minute", { count: 100, millis: 60_000 }],
  [" 5000 per hour ", { count: 5_000, millis: 3_600_000 }],
])("parses %s", (text, rate) => {
  expect(readRate(text)).toEqual(rate);
});

test.each([
  "",
  "0 per second",
  "-1 per second",
  "1.5 per hour",
  "ten per minute",
  "100 per day",
  "100/minute",
  "100 per minutes",
  "at 100 per minute",
])("refuses %j with an example of a valid rate", (text) => {
  expect(() => readRate(text)).toThrow('such as "100 per minute"');
});

test("returns the shortest wait that keeps every window within the rate", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 40 }),
      (count, pauses) => {
        const window = new RateWindow({ count, millis: 1_000 });
        const starts: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const wait = window.wait(now);
          const needed =
            starts.length < count ? 0 : Math.max(0, starts[starts.length - count]! + 1_000 - now);
          expect(wait).toBe(needed);
          now += wait;
          window.take(now);
          starts.push(now);
        }
        for (const start of starts) {
          expect(starts.filter((each) => each >= start && each < start + 1_000).length).toBeLessThanOrEqual(
            count,
          );
        }
      },
    ),
  );
});

test("adds the time of the calls ahead", () => {
  const window = new RateWindow({ count: 2, millis: 1_000 });
  window.take(0);
  window.take(400);
  expect([0, 1, 2, 3, 4].map((ahead) => window.wait(500, ahead))).toEqual([500, 900, 1_500, 1_900, 2_500]);
});

test("lets the calls ahead take free slots first", () => {
  const window = new RateWindow({ count: 3, millis: 1_000 });
  window.take(0);
  expect([0, 1, 2, 3, 4, 5].map((ahead) => window.wait(300, ahead))).toEqual([
    0, 0, 700, 1_000, 1_000, 1_700,
  ]);
});

test("admits calls when the clock is set back", () => {
  const window = new RateWindow({ count: 1, millis: 1_000 });
  window.take(1_000_000);
  expect(window.wait(500_000)).toBe(0);
});
