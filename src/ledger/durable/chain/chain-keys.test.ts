import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { hmacSha256 } from "./chain-keys.ts";

it("computes the same HMAC-SHA-256 as node:crypto", () => {
  const keys = fc.uint8Array({ minLength: 1, maxLength: 64 });
  fc.assert(
    fc.property(keys, anyText({ maxLength: 300 }), (key, text) => {
      expect(hmacSha256(key)(text)).toBe(createHmac("sha256", key).update(text).digest("base64url"));
    }),
  );
});
