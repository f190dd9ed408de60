import * as fc from "fast-check";
import { expect, it } from "vitest";
import { anyText } from "../../../../test/kit/any-text.ts";
import { readMessage } from "./inbound-messages.ts";

it("readMessage reads JSON without forbidden keys like JSON.parse", () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false } as never), (text) => {
      fc.pre(!text.includes("__proto__") && !text.includes("constructor"));
      expect(readMessage(text)).toEqual({ ok: true, value: JSON.parse(text) });
    }),
  );
});

it("readMessage does not throw for any text", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(typeof readMessage(text).ok).toBe("boolean");
    }),
  );
});

it.each([
  ["{broken", "noise"],
  ["Listening on port 3000", "noise"],
  ['{"a":{"__proto__":{}}}', "harm"],
  ['{"a":{"\\u005f_proto__":1}}', "harm"],
  ['[{"constructor":{"prototype":{}}}]', "harm"],
  [`${"[".repeat(200)}${"]".repeat(200)}`, "harm"],
  [`${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`, "harm"],
])("readMessage distinguishes noise from harmful messages (%#)", (text, kind) => {
  expect(readMessage(text)).toMatchObject({ ok: false, kind });
});
