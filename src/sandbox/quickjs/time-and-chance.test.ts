import { describe, expect, it } from "vitest";
import { sandboxScene } from "../../../test/kit/sandbox-scene.ts";
import { openEngine } from "./engine.ts";

const { resultOf } = sandboxScene(openEngine({ most: 1 }));

describe("time and randomness", () => {
  it("are fixed and repeat with the same seed", async () => {
    const source = `return [Date.now(), new Date().toISOString(), Date(), new Date(2020, 6, 1).getTimezoneOffset(),
      new Date(2020, 6, 1, 12).toString(), Math.random(), Math.random(), typeof performance, typeof Intl, typeof Atomics,
      new Date(0).toLocaleString(), new Error("x").stack]`;
    const given = { now: 1_700_000_000_123, seed: "a" };
    const first = (await resultOf(source, given)) as readonly unknown[];
    expect(first.slice(0, 5)).toEqual([
      1_700_000_000_123,
      "2023-11-14T22:13:20.123Z",
      "Tue Nov 14 2023 22:13:20 GMT+0000",
      0,
      "Wed Jul 01 2020 12:00:00 GMT+0000",
    ]);
    expect(first.slice(7, 10)).toEqual(["undefined", "undefined", "undefined"]);
    expect(await resultOf(source, given)).toEqual(first);
    const other = (await resultOf(source, { ...given, seed: "b" })) as readonly unknown[];
    expect(other[5]).not.toEqual(first[5]);
    expect(first[5]).not.toEqual(first[6]);
  });

  it("are uniform", async () => {
    const source = `const tenths = new Array(10).fill(0); for (let i = 0; i < 10000; i++) tenths[Math.floor(Math.random() * 10)]++; return tenths`;
    for (const count of (await resultOf(source)) as readonly number[]) {
      expect(count).toBeGreaterThan(850);
      expect(count).toBeLessThan(1_150);
    }
  });

  it("do not depend on garbage collection", async () => {
    const source = `const seen = []; const registry = new FinalizationRegistry((at) => seen.push(at));
      const refs = []; for (let i = 0; i < 3000; i++) {
        const ring = { i }; ring.self = ring; registry.register(ring, i); refs.push(new WeakRef(ring));
        if (i % 500 === 0) { await null; seen.push("at " + i + ": " + refs.filter((ref) => ref.deref()).length); }
      }
      return seen`;
    const first = await resultOf(source);
    await resultOf("const all = []; for (let i = 0; i < 5000; i++) all.push({ i }); return all.length");
    expect(await resultOf(source)).toEqual(first);
  });

  it("start at zero by default", async () => {
    expect(await resultOf("return Date.now()")).toBe(0);
  });
});
