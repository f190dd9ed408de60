import { expect, it } from "vitest";
import { nextBatchSize } from "./batch-size.ts";

const pace = { target: 20, least: 50, most: 1_000 };

it("a piece that took too long makes the next one smaller, by half at most", () => {
  expect(nextBatchSize(400, 25, pace)).toBe(320);
  expect(nextBatchSize(400, 4_000, pace)).toBe(200);
});

it("a piece that was quick makes the next one larger, by twice at most", () => {
  expect(nextBatchSize(400, 16, pace)).toBe(500);
  expect(nextBatchSize(400, 0, pace)).toBe(800);
});

it("no piece is smaller or larger than it may be", () => {
  expect(nextBatchSize(60, 4_000, pace)).toBe(50);
  expect(nextBatchSize(900, 1, pace)).toBe(1_000);
});
