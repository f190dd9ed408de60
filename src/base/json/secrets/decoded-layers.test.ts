import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { decodedLayers, toOriginalSpan } from "./decoded-layers.ts";

const read = (text: string) => decodedLayers(text).map((reading) => reading.text);

describe("decodedLayers", () => {
  it.each([
    ["plain words, nothing else", []],
    ["a\\/b \\u002B \\x2b \\u{2b}", ["a/b + + +"]],
    ['\\"a\\" \\n', ['"a" \n']],
    ["&#x2F;&#47;&#047b &amp;&quot;&sol;", ['///b &"/']],
    ["%2F%2f%C3%A9%E2%82%AC%F0%9F%98%80%u002F%E9", ["//é€😀/é"]],
    ["\\\\u0041", ["\\u0041", "A"]],
    ["\\u0026#x2F;", ["&#x2F;", "/"]],
    ["%2525", ["%25", "%"]],
    ["100% & more \\ less &unknown; \\q %zz &#99999999; %C0%80 \\u{ffffff}", []],
  ])("decodes %j to %j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it("decodes at most four times", () => {
    expect(read(`%${"25".repeat(9)}`)).toHaveLength(4);
  });

  it("maps every character to its original position, however deeply it was escaped", () => {
    const piece = fc.constantFrom(
      "a",
      "%61",
      "&#97;",
      "\\u0061",
      "\\\\u0061",
      "&amp;#97;",
      "%2561",
      "é",
      "%C3%A9",
      "😀",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const text = pieces.join("|");
        const layers = decodedLayers(text);
        const shown = layers.at(-1)?.text ?? text;
        let at = 0;
        let below = 0;
        for (const [index, character] of shown.split("|").entries()) {
          const span = toOriginalSpan(layers, layers.length - 1, { start: at, end: at + character.length });
          expect(span).toEqual({ start: below, end: below + pieces[index]!.length });
          at += character.length + 1;
          below += pieces[index]!.length + 1;
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("does not throw for any text", () => {
    const piece = fc.oneof(anyText(), fc.constantFrom("\\", "%", "&", "&#", "u{", "\\u", ";", "D8", "FF"));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const layers = decodedLayers(pieces.join(""));
        for (const [depth, { text }] of layers.entries())
          toOriginalSpan(layers, depth, { start: 0, end: text.length });
      }),
      { numRuns: 2_000 },
    );
  });
});
