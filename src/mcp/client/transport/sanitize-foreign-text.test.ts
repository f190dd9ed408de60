import * as fc from "fast-check";
import { expect, it } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { sanitizeUntrustedText } from "./sanitize-foreign-text.ts";

it("sanitizeUntrustedText returns one short line without invisible characters", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 2_000 }), (text) => {
      const shown = sanitizeUntrustedText(text);
      expect(shown.length).toBeLessThanOrEqual(201);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\n]/u);
    }),
  );
  expect(sanitizeUntrustedText("a\u202Eb\u0000c\nd")).toBe("a b c d");
});
