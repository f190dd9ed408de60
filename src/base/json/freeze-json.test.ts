import { expect, it } from "vitest";
import { freezeJson } from "./freeze-json.ts";

it("nothing inside a frozen value can be changed", () => {
  const value = freezeJson({ a: [1, { b: "c" }], d: {} });
  expect(() => Object.assign(value.a[1] as object, { b: 1 })).toThrow(TypeError);
  expect(() => value.a.push(1)).toThrow(TypeError);
  expect(Object.isFrozen(value.d)).toBe(true);
});

it("a part that was frozen only on its surface is frozen within", () => {
  const inner = { x: [1] };
  freezeJson(Object.freeze({ inner }));
  expect(Object.isFrozen(inner)).toBe(true);
  expect(Object.isFrozen(inner.x)).toBe(true);
});

it("cycles end, and a hundred thousand levels do not overflow the stack", () => {
  const loop: Record<string, unknown> = {};
  loop.twice = [loop, loop];
  expect(Object.isFrozen(freezeJson(loop).twice)).toBe(true);
  let deep: unknown[] = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(Object.isFrozen(freezeJson(deep)[0])).toBe(true);
});

it("instances of classes are left alone", () => {
  const bytes = new Uint8Array(2);
  const value = freezeJson({ bytes, map: new Map([["a", 1]]) });
  expect(Object.isFrozen(value)).toBe(true);
  expect(Object.isFrozen(value.map)).toBe(false);
  bytes[0] = 1;
  expect(value.bytes[0]).toBe(1);
});

it("a leaf is its own frozen form", () => {
  expect([freezeJson(1), freezeJson("a"), freezeJson(null), freezeJson(undefined)]).toEqual([
    1,
    "a",
    null,
    undefined,
  ]);
});
