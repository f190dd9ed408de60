import { describe, expect, it } from "vitest";
import { shellQuote } from "../base/text/shell-quote.ts";

describe("shellQuote", () => {
  it.each(["plain-1.ts", "with space", "it's", "a;touch b", "ünïcode", "`id`"])(
    "quotes %j when that is necessary",
    (word) => {
      expect(shellQuote(word)).toBe(/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
    },
  );

  it("escapes line breaks and invisible characters", () => {
    expect(shellQuote("a\nb\u202e'c\\")).toBe("$'a\\012b\\342\\200\\256\\047c\\134'");
    expect(shellQuote("\t\u001b[2J")).toBe("$'\\011\\033[2J'");
  });
});
