import fc from "fast-check";
import { expect, it } from "vitest";
import { anyText } from "../../../test/kit/any-text.ts";
import { canonicalJson } from "./canonical-json.ts";
import { hashJson, hashText } from "./hash.ts";

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
};

it("keys are sorted by UTF-16 code unit at every level, without white space", () => {
  expect(
    canonicalJson({
      b: [{ z: 1, a: 2 }],
      a: null,
      "10": 1,
      "9": 2,
      "\u20ac": 1,
      "\ud83d\ude00": 2,
      "\ufb33": 3,
    }),
  ).toBe('{"10":1,"9":2,"a":null,"b":[{"a":2,"z":1}],"\u20ac":1,"\ud83d\ude00":2,"\ufb33":3}');
});

it("numbers have one form", () => {
  expect(canonicalJson([1.0, -0, 1e21, 1e-7, 333333333.3333333, 4.5])).toBe(
    "[1,0,1e+21,1e-7,333333333.3333333,4.5]",
  );
});

it("members that are undefined do not count", () => {
  expect(canonicalJson({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
});

it("the canonical form reads back as the same value, and the order of keys does not show", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(JSON.stringify(JSON.parse(text))).toEqual(
        JSON.stringify(JSON.parse(canonicalJson(reversed(value)))),
      );
      expect(canonicalJson(reversed(value))).toBe(text);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
    { numRuns: 1_000 },
  );
});

it("strings are written as the native writer does", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 100 }), (text) => {
      expect(canonicalJson([text, { [text]: 1 }])).toBe(JSON.stringify([text, { [text]: 1 }]));
    }),
    { numRuns: 1_000 },
  );
  for (let code = 0; code < 0x10000; code++) {
    const text = String.fromCharCode(code);
    if (canonicalJson(text) !== JSON.stringify(text)) expect.fail(`differs for ${code}`);
  }
});

it("lone surrogates stay apart", () => {
  expect(hashJson("\ud800")).not.toBe(hashJson("\ud801"));
});

it("what is not JSON throws instead of sharing the hash of something else", () => {
  const loop: unknown[] = [];
  loop.push(loop, loop);
  for (const value of [undefined, Number.NaN, 1n, () => 1, new Date(0), new Map(), [undefined], loop]) {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  }
});

it("values as deep as any reader allows have a canonical form", () => {
  const text = "[".repeat(1_000) + "]".repeat(1_000);
  expect(canonicalJson(JSON.parse(text))).toBe(text);
});

it("hashes are SHA-256 in hexadecimal", () => {
  expect(hashText("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hashJson({ b: 1, a: 2 })).toBe(hashText('{"a":2,"b":1}'));
});
