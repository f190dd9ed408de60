import * as fc from "fast-check";
import { expect, it } from "vitest";
import { foreignWords } from "./foreign-words.ts";

it("are on one line, short, and free of what cannot be seen", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
      const shown = foreignWords(text);
      expect(shown.length).toBeLessThanOrEqual(201);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\n]/u);
    }),
  );
  expect(foreignWords("a\u202Eb\u0000c\nd")).toBe("a b c d");
});
