import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/kit/any-text.ts";
import { columnsOf, forTerminal, painter, shorten, table, titled, toJsonLine } from "./screen.ts";

const colored = painter({ hasColor: true });

describe("a table", () => {
  it("stands straight although some of its cells are colored", () => {
    const lines = table(
      [
        [colored.red("no"), "1"],
        ["fine", "2"],
      ],
      80,
    ).split("\n");
    expect(lines.map((line) => line.lastIndexOf(line.endsWith("1") ? "1" : "2"))).toEqual([16, 6]);
  });

  it("is cut at the edge by what is seen, and its colors end", () => {
    const line = table([[colored.green("abcdef"), "ghij"]], 5);
    expect(line).toBe(`${colored.green("abcd")}…`);
    expect(titled(["A"], [["abcdef"]], { hasColor: false, width: 4 })).toBe("A\nabc…\n");
  });

  it("aligns its columns whatever the scripts and emoji in its cells", () => {
    const names = ["plain", "日本語", "👨‍👩‍👧‍👦 family", "🇯🇵🇩🇪", "nai\u0308ve", colored.red("한국")];
    const lines = table(
      names.map((name) => [name, "x"]),
      80,
    ).split("\n");
    expect(new Set(lines.map(columnsOf))).toEqual(new Set([12]));
  });

  it("is cut between graphemes", () => {
    expect(table([["日本語です"]], 6)).toBe("日本…");
    expect(table([[`${colored.green("日")}${colored.red("日a")}`]], 4)).toBe(`${colored.green("日")}…`);
    expect(table([["ab👨‍👩‍👧‍👦cd"]], 4)).toBe("ab…");
  });
});

it("JSON for a terminal holds nothing that a terminal would obey, and is still the same value", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const line = toJsonLine({ text });
      expect(forTerminal(line)).toBe(line);
      expect(JSON.parse(line)).toEqual({ text });
    }),
  );
});

it("foreign text becomes one line that is not too long", () => {
  expect(shorten("a\nb\u001b[2Jcdef", 6)).toBe("a b […");
  expect(shorten("🚀🚀🚀", 4)).toBe("🚀…");
});
