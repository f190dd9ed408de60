import { expect, it } from "vitest";
import { createBatcher } from "./create-batcher.ts";

it("batches items of the same tick, and collects later items for the next batch", async () => {
  const batches: (readonly number[])[] = [];
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const double = createBatcher<number, number>(3, async (items) => {
    batches.push(items);
    if (batches.length === 1) await held;
    return items.map((item) => item * 2);
  });
  const first = [1, 2].map(double);
  await Promise.resolve();
  await Promise.resolve();
  const later = [3, 4, 5, 6].map(double);
  release();
  expect(await Promise.all([...first, ...later])).toEqual([2, 4, 6, 8, 10, 12]);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
});

it("rejects the items of a failed batch and continues with the next batch", async () => {
  let isBroken = true;
  const echo = createBatcher<string, string>(10, async (items) => {
    if (isBroken) throw new Error("away");
    return items;
  });
  await expect(Promise.all([echo("a"), echo("b")])).rejects.toThrow("away");
  isBroken = false;
  expect(await echo("c")).toBe("c");
});
