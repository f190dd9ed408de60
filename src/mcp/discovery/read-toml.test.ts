import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../test/kit/any-text.ts";
import { readToml } from "./discover.ts";

const read = (text: string): unknown => {
  const reading = readToml(text);
  return reading.ok ? reading.value : `${reading.line}:${reading.column}`;
};

describe("readToml", () => {
  it("reads tables, dotted keys, lists and inline tables", () => {
    expect(
      read(`
title = "a \\"b\\" \\u00e9" # comment
'quoted key'.x = 'C:\\raw'
[servers."my server"]
args = [
  "a", # first
  'b',
]
env = { "A.B" = "1", c.d = true }
n = 1_000
at = 1979-05-27 07:32:00
[[items]]
x = 1
[[items]]
x = 2
[items.inner]
y = """
two
lines \\
   joined"""
`),
    ).toEqual({
      title: 'a "b" é',
      "quoted key": { x: "C:\\raw" },
      servers: {
        "my server": {
          args: ["a", "b"],
          env: { "A.B": "1", c: { d: true } },
          n: 1000,
          at: "1979-05-27T07:32:00.000",
        },
      },
      items: [{ x: 1 }, { x: 2, inner: { y: "two\nlines joined" } }],
    });
  });

  it.each([
    ["a = 1\na = 2", "2:1"],
    ["[a]\n[a]", "2:2"],
    ["a = ", "1:5"],
    ["a = npx", "1:5"],
    ['a = "open', "1:5"],
    ["a = 1 b = 2", "1:7"],
    ["a = {b = 1}\n[a]", "2:2"],
    ["a = [1, 2", "1:10"],
    ['a = "\\q"', "1:7"],
    ["= 1", "1:1"],
  ])("rejects %j with the position of the error", (text, place) => {
    expect(read(text)).toBe(place);
  });

  it("keeps __proto__ and constructor as ordinary keys", () => {
    const value = read("[__proto__]\nx = 1\n[constructor]\ny = 2") as object;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor"]);
    expect(({} as { readonly x?: unknown }).x).toBeUndefined();
  });

  it("returns every text that was written as a string", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anyText()), (fields) => {
        const write = (text: string) =>
          `"${[...text].map((sign) => `\\U${sign.codePointAt(0)!.toString(16).padStart(8, "0")}`).join("")}"`;
        const text = Object.entries(fields)
          .map(([key, value]) => `${write(key)} = ${write(value)}`)
          .join("\n");
        expect(Object.entries(read(text) as object).sort()).toEqual(Object.entries(fields).sort());
      }),
    );
  });

  it("does not throw and terminates for any text", () => {
    const piece = fc.constantFrom(
      "[",
      "]",
      "{",
      "}",
      '"',
      "'",
      "=",
      ".",
      ",",
      "#",
      "\n",
      " ",
      "a",
      "1",
      "\\",
      '"""',
      "'''",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        readToml(pieces.join(""));
      }),
      { numRuns: 2_000 },
    );
    expect(read(`a = ${"[".repeat(100_000)}`)).toMatch(/^1:/);
  });
});
