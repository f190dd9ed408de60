import { describe, expect, it } from "vitest";
import { markUnseen, splitInvisible } from "./invisible-characters.ts";

const shown = (text: string, isLine = false): string =>
  splitInvisible(text, isLine)
    .map(({ text: plain, name }) => (name === undefined ? plain : `[${name}]`))
    .join("");

describe("text that somebody else wrote", () => {
  it("keeps plain text, markup and emoji as they are", () => {
    for (const text of ["<b>x</b> & {{y}}", "Zoë, 東京, שלום", "a\nb\tc", "❤️", ""])
      expect(shown(text)).toBe(text);
  });

  it("names what turns the direction of writing and what has no width", () => {
    expect(shown("pay \u202Eevas\u202C")).toBe("pay [RLO]evas[PDF]");
    expect(shown("a\u200Bb\uFEFFc\u2067d")).toBe("a[ZWSP]b[BOM]c[RLI]d");
    expect(shown("x\u{E0041}y\uE000z")).toBe("x[U+E0041]y[U+E000]z");
  });

  it("names control characters, halves of pairs, and escape sequences of terminals as one", () => {
    expect(shown("\u001b[31mred\u001b[0m")).toBe("[ESC[31m]red[ESC[0m]");
    expect(shown("\u001b]8;;javascript:alert(1)\u0007x")).toMatch(/^\[ESC\]8;;javascri…\]x$/);
    expect(shown("a\0b\u0008c\ud800d")).toBe("a[NUL]b[BS]c[U+D800]d");
    expect(shown("one\r\ntwo\rthree")).toBe("one\r\ntwo[CR]three");
  });

  it("is plain text with names where no markup is taken, and only its beginning", () => {
    expect(markUnseen("pay \u202Eevas\nnow")).toBe("pay [RLO]evas[↵]now");
    expect(markUnseen("x".repeat(400))).toBe(`${"x".repeat(300)}…`);
    expect(markUnseen("a".repeat(16), 16)).toBe("a".repeat(16));
  });

  it("shows ends of lines by a mark where there is one line only", () => {
    expect(shown("a\nb\tc", true)).toBe("a[↵]b[⇥]c");
  });
});
