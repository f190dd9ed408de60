import { expect, it } from "vitest";
import { randomStream, shuffle } from "./random-stream.ts";

const take = (count: number, next: () => number) => Array.from({ length: count }, next);

it("returns the same numbers for the same seed and purpose", () => {
  expect(take(5, randomStream(7, "order"))).toEqual(take(5, randomStream(7, "order")));
  expect(take(5, randomStream(7, "order"))).not.toEqual(take(5, randomStream(8, "order")));
  expect(take(5, randomStream(7, "order"))).not.toEqual(take(5, randomStream(7, "flips")));
});

it("is uniform from 0 to 1", () => {
  const counts = new Array(10).fill(0);
  for (const value of take(100_000, randomStream(1, "spread"))) counts[Math.floor(value * 10)] += 1;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});

it("shuffles three items into every order equally often", () => {
  const random = randomStream(3, "shuffle");
  const counts = new Map<string, number>();
  for (let i = 0; i < 6_000; i++) {
    const order = shuffle(["a", "b", "c"], random).join("");
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120);
});
