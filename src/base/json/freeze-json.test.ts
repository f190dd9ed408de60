import { expect, it } from "vitest";
import { freezeJson } from "./json-value.ts";

it("freezeJson freezes nested values", () => {
  const value = freezeJson({ a: [1, { b: "c" }], d: {} });
  expect(() => Object.assign(value.a[1] as object, { b: 1 })).toThrow(TypeError);
  expect(() => value.a.push(1)).toThrow(TypeError);
  expect(Object.isFrozen(value.d)).toBe(true);
});

it("freezeJson freezes the members of a value that was frozen only on the surface", () => {
  const inner = { x: [1] };
  freezeJson(Object.freeze({ inner }));
  expect(Object.isFrozen(inner)).toBe(true);
  expect(Object.isFrozen(inner.x)).toBe(true);
});

it("freezeJson handles cycles and a hundred thousand levels", () => {
  const loop: Record<string, unknown> = {};
  loop.twice = [loop, loop];
  expect(Object.isFrozen(freezeJson(loop).twice)).toBe(true);
  let deep: unknown[] = [];
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(Object.isFrozen(freezeJson(deep)[0])).toBe(true);
});

it("freezeJson leaves class instances unfrozen", () => {
  const bytes = new Uint8Array(2);
  const value = freezeJson({ bytes, map: new Map([["a", 1]]) });
  expect(Object.isFrozen(value)).toBe(true);
  expect(Object.isFrozen(value.map)).toBe(false);
  bytes[0] = 1;
  expect(value.bytes[0]).toBe(1);
});

it("freezeJson returns primitive values unchanged", () => {
  expect([freezeJson(1), freezeJson("a"), freezeJson(null), freezeJson(undefined)]).toEqual([
    1,
    "a",
    null,
    undefined,
  ]);
});
