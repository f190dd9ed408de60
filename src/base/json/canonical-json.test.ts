import fc from "fast-check";
import { expect, it } from "vitest";
import { anyText } from "../../../test/kit/any-text.ts";
import { canonicalJson, hashJson, hashText } from "./canonical-json.ts";

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(entries.reverse());
};

it("canonicalJson sorts keys by UTF-16 code unit at every level and writes no white space", () => {
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

it("canonicalJson writes each number in one form", () => {
  expect(canonicalJson([1.0, -0, 1e21, 1e-7, 333333333.3333333, 4.5])).toBe(
    "[1,0,1e+21,1e-7,333333333.3333333,4.5]",
  );
});

it("canonicalJson ignores members that are undefined", () => {
  expect(canonicalJson({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
});

it("canonicalJson round-trips and does not depend on key order", () => {
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

it("canonicalJson escapes strings like JSON.stringify", () => {
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

it("hashJson distinguishes lone surrogates", () => {
  expect(hashJson("\ud800")).not.toBe(hashJson("\ud801"));
});

it("canonicalJson throws for values that are not JSON", () => {
  const loop: unknown[] = [];
  loop.push(loop, loop);
  for (const value of [undefined, Number.NaN, 1n, () => 1, new Date(0), new Map(), [undefined], loop]) {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  }
});

it("canonicalJson accepts values a thousand levels deep", () => {
  const text = "[".repeat(1_000) + "]".repeat(1_000);
  expect(canonicalJson(JSON.parse(text))).toBe(text);
});

it("hashText and hashJson return SHA-256 in hexadecimal", () => {
  expect(hashText("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hashJson({ b: 1, a: 2 })).toBe(hashText('{"a":2,"b":1}'));
});
