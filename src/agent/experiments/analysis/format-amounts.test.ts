import { expect, it } from "vitest";
import { formatAmount, formatRange, formatShort, joinWords } from "./metrics.ts";

it("formats amounts with three significant digits and their unit", () => {
  expect([0, 1, 1234.5, 0.0123456, -2.5, 1e-9, 999.6].map(formatShort)).toEqual([
    "0",
    "1",
    "1,235",
    "0.0123",
    "−2.5",
    "1.0e−9",
    "1,000",
  ]);
  expect([12, 1_500, 90_000].map((millis) => formatAmount(millis, "ms"))).toEqual([
    "12 ms",
    "1.5 s",
    "1.5 min",
  ]);
  expect(formatAmount(0.955, "share")).toBe("95.5 %");
  expect(formatAmount(1.2345, "count")).toBe("1.23");
});

it("formats ranges from small to large and never as zero", () => {
  expect(formatRange(41.2, 31.8)).toBe("32–41");
  expect(formatRange(0.31, 3.02)).toBe("0.3–3.0");
  expect(formatRange(0.041, 0.08)).toBe("0.04–0.08");
  expect(formatRange(32.1, 32.4)).toBe("32");
});

it("joins lists with a word", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map((names) => joinWords(names, "or"))).toEqual([
    "",
    "a",
    "a or b",
    "a, b or c",
  ]);
});
