import { expect, it } from "vitest";
import { nextBatchSize } from "./prune-chain.ts";

const pace = { target: 20, least: 50, most: 1_000 };

it("shrinks after a slow batch, at most by half", () => {
  expect(nextBatchSize(400, 25, pace)).toBe(320);
  expect(nextBatchSize(400, 4_000, pace)).toBe(200);
});

it("grows after a quick batch, at most to twice the size", () => {
  expect(nextBatchSize(400, 16, pace)).toBe(500);
  expect(nextBatchSize(400, 0, pace)).toBe(800);
});

it("stays within the minimum and the maximum", () => {
  expect(nextBatchSize(60, 4_000, pace)).toBe(50);
  expect(nextBatchSize(900, 1, pace)).toBe(1_000);
});
