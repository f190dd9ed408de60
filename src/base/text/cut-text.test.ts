import fc from "fast-check";
import { expect, it } from "vitest";
import { headOf, shorten, tailOf } from "./cut-text.ts";

it("headOf, tailOf and shorten do not split a surrogate pair", () => {
  expect(headOf("a🚀b", 2)).toBe("a");
  expect(headOf("a🚀b", 3)).toBe("a🚀");
  expect(tailOf("a🚀b", 2)).toBe("b");
  expect(tailOf("a🚀b", 3)).toBe("🚀b");
  expect(shorten("a🚀b", 2)).toBe("a…");
  expect(shorten("a🚀b", 4)).toBe("a🚀b");
});

it("headOf and tailOf keep a well-formed text well-formed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat({ max: 20 }), (text, length) => {
      expect(headOf(text, length).isWellFormed()).toBe(true);
      expect(tailOf(text, length).isWellFormed()).toBe(true);
      expect(text.startsWith(headOf(text, length))).toBe(true);
      expect(text.endsWith(tailOf(text, length))).toBe(true);
      expect(shorten(text, length).length).toBeLessThanOrEqual(length + 1);
    }),
  );
});
