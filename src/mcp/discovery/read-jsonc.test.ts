import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readJsonc } from "./discover.ts";

it("readJsonc reads any JSON text", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(readJsonc(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
});

it("readJsonc ignores comments and trailing commas anywhere", () => {
  const extra = fc.constantFrom(" ", "\n", "/* , } */", "// ]\n", '/* " */', "");
  fc.assert(
    fc.property(
      fc.array(fc.string()),
      fc.array(extra, { minLength: 4, maxLength: 4 }),
      (items, [a, b, c, d]) => {
        const text = `${a}[${items.map((item) => `${b}${JSON.stringify(item)}${c}`).join(",")}${items.length > 0 ? `,${d}` : ""}]${a}`;
        expect(readJsonc(text)).toEqual({ ok: true, value: items });
      },
    ),
  );
});

it.each([
  ['{\n "a": 1 "b" }', 2, 9],
  ["{,}", 1, 2],
  ['{"a": "open\n}', 1, 7],
  ["/* open", 1, 1],
  ["[1,,2]", 1, 4],
])("readJsonc reports where %j stops being JSON", (text, line, column) => {
  expect(readJsonc(text)).toEqual({ ok: false, line, column });
});

it("readJsonc keeps __proto__ and constructor as ordinary keys", () => {
  const reading = readJsonc('{ "__proto__": { "x": 1 }, "constructor": 2 }');
  expect(reading.ok && Object.keys(reading.value as object)).toEqual(["__proto__", "constructor"]);
  expect(({} as { readonly x?: unknown }).x).toBeUndefined();
});

it.each([",/*", ", ", '"', "/", ",//\n", "{,", "[", "\\"])(
  "readJsonc rejects %j repeated two hundred thousand times",
  (piece) => {
    expect(readJsonc(piece.repeat(200_000)).ok).toBe(false);
  },
);
