import { expect, it } from "vitest";
import { orderRuns } from "./options.ts";

const arms = [
  { name: "a", library: {} },
  { name: "b", library: {} },
];
const inputs = Array.from({ length: 50 }, (_, index) => ({ id: `${index}`, input: "?" }));
const plan = orderRuns({ arms, inputs, repetitions: 4, seed: 5 });

it("runs every input in every arm as often as requested", () => {
  const seen = new Set(plan.map(({ arm, input, repetition }) => `${arm.name}/${input.id}/${repetition}`));
  expect(seen.size).toBe(400);
  expect(plan).toHaveLength(400);
});

it("runs the arms of an input in sequence, each first about equally often", () => {
  let first = 0;
  for (let at = 0; at < plan.length; at += 2) {
    expect(plan[at]!.input).toBe(plan[at + 1]!.input);
    expect(plan[at]!.arm.name).not.toBe(plan[at + 1]!.arm.name);
    if (plan[at]!.arm.name === "a") first += 1;
  }
  expect(Math.abs(first - 100)).toBeLessThan(30);
});

it("runs all inputs once before it repeats them in another order", () => {
  const rounds = [1, 2, 3, 4].map((round) =>
    plan.filter(({ repetition }) => repetition === round).map(({ input }) => input.id),
  );
  expect(plan.slice(0, 100).every(({ repetition }) => repetition === 1)).toBe(true);
  expect(new Set(rounds.map(String)).size).toBe(4);
});

it("depends on the seed alone", () => {
  expect(orderRuns({ arms, inputs, repetitions: 4, seed: 5 })).toEqual(plan);
  expect(orderRuns({ arms, inputs, repetitions: 4, seed: 6 })).not.toEqual(plan);
});
