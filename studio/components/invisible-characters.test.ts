import { describe, expect, it } from "vitest";
import { markUnseen, splitInvisible } from "./invisible-characters.ts";

const shown = (text: string, isLine = false): string =>
  splitInvisible(text, isLine)
    .map(({ text: plain, name }) => (name === undefined ? plain : `[${name}]`))
    .join("");

describe("invisible characters", () => {
  it("are not found in plain text, markup and emoji", () => {
    for (const text of ["<b>x</b> & {{y}}", "Zoë, 東京, שלום", "a\nb\tc", "❤️", ""])
      expect(shown(text)).toBe(text);
  });

  it("are named when they change the direction of text or have no width", () => {
    expect(shown("pay \u202Eevas\u202C")).toBe("pay [RLO]evas[PDF]");
    expect(shown("a\u200Bb\uFEFFc\u2067d")).toBe("a[ZWSP]b[BOM]c[RLI]d");
    expect(shown("x\u{E0041}y\uE000z")).toBe("x[U+E0041]y[U+E000]z");
  });

  it("are named for control characters, unpaired surrogates and whole escape sequences", () => {
    expect(shown("\u001b[31mred\u001b[0m")).toBe("[ESC[31m]red[ESC[0m]");
    expect(shown("\u001b]8;;javascript:alert(1)\u0007x")).toMatch(/^\[ESC\]8;;javascri…\]x$/);
    expect(shown("a\0b\u0008c\ud800d")).toBe("a[NUL]b[BS]c[U+D800]d");
    expect(shown("one\r\ntwo\rthree")).toBe("one\r\ntwo[CR]three");
  });

  it("are named in plain text, which is truncated", () => {
    expect(markUnseen("pay \u202Eevas\nnow")).toBe("pay [RLO]evas[↵]now");
    expect(markUnseen("x".repeat(400))).toBe(`${"x".repeat(300)}…`);
    expect(markUnseen("a".repeat(16), 16)).toBe("a".repeat(16));
  });

  it("are marked for line breaks in a single line", () => {
    expect(shown("a\nb\tc", true)).toBe("a[↵]b[⇥]c");
  });
});
