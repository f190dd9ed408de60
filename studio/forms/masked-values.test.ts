import { describe, expect, it } from "vitest";
import { isUnchangedMask, maskedTexts } from "./masked-values.ts";

describe("masked values of a form", () => {
  const shown = { keys: [{ "a/b": "[redacted]" }], note: "Bearer [redacted]" };
  const masked = maskedTexts(shown, ["/keys/0/a~1b", "/note", "/gone"]);

  it("are found by their pointers with the text that is shown", () => {
    expect([...masked]).toEqual([
      ["/keys/0/a~1b", "[redacted]"],
      ["/note", "Bearer [redacted]"],
    ]);
  });

  it("are kept only while they are unchanged", () => {
    expect(isUnchangedMask(shown, "/note", masked)).toBe(true);
    expect(isUnchangedMask({ note: "Bearer [redacted]2" }, "/note", masked)).toBe(false);
    expect(isUnchangedMask({ other: "[redacted]" }, "/other", masked)).toBe(false);
  });
});
