import { expect, it } from "vitest";
import { randomOf, shuffled } from "./random.ts";

const take = (count: number, next: () => number) => Array.from({ length: count }, next);

it("the same seed and purpose always give the same numbers", () => {
  expect(take(5, randomOf(7, "order"))).toEqual(take(5, randomOf(7, "order")));
  expect(take(5, randomOf(7, "order"))).not.toEqual(take(5, randomOf(8, "order")));
  expect(take(5, randomOf(7, "order"))).not.toEqual(take(5, randomOf(7, "flips")));
});

it("numbers are spread evenly from 0 to 1", () => {
  const counts = new Array(10).fill(0);
  for (const value of take(100_000, randomOf(1, "spread"))) counts[Math.floor(value * 10)] += 1;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});

it("every order of three is as likely as any other", () => {
  const random = randomOf(3, "shuffle");
  const counts = new Map<string, number>();
  for (let i = 0; i < 6_000; i++) {
    const order = shuffled(["a", "b", "c"], random).join("");
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120);
});
