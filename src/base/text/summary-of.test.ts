import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../test/kit/any-text.ts";
import { firstSentenceOf } from "./cut-text.ts";

describe("firstSentenceOf", () => {
  it.each([
    ["Books a flight. Needs a date.", "Books a flight."],
    ["Reads v2.1 of a file\nand its size", "Reads v2.1 of a file and its size"],
    ["  Is it there?\tOr not. ", "Is it there?"],
    ["a\u0007b\u202Ec", "a b c"],
    ["", ""],
  ])("summarizes %j as %j", (text, summary) => {
    expect(firstSentenceOf(text)).toBe(summary);
  });

  it("returns one line within the maximum length for any text", () => {
    fc.assert(
      fc.property(anyText(), fc.integer({ min: 2, max: 40 }), (text, most) => {
        const summary = firstSentenceOf(text.repeat(3), most);
        expect(summary.length).toBeLessThanOrEqual(most);
        expect(summary).not.toMatch(/\p{Cc}/u);
        expect(summary.isWellFormed()).toBe(true);
      }),
    );
  });
});
