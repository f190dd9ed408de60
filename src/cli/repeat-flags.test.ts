import { describe, expect, it } from "vitest";
import { shellQuote } from "../base/text/shell-quote.ts";

describe("a word of a command in a message", () => {
  it.each(["plain-1.ts", "with space", "it's", "a;touch b", "ünïcode", "`id`"])(
    "%j is quoted where it must be",
    (word) => {
      expect(shellQuote(word)).toBe(/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
    },
  );

  it("has the bytes of line breaks and invisible characters written out", () => {
    expect(shellQuote("a\nb\u202e'c\\")).toBe("$'a\\012b\\342\\200\\256\\047c\\134'");
    expect(shellQuote("\t\u001b[2J")).toBe("$'\\011\\033[2J'");
  });
});
