import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/kit/any-text.ts";
import {
  alignColumns,
  painter,
  renderTitledTable,
  sanitizeForTerminal,
  shortenToColumns,
  toJsonLine,
  visibleWidth,
} from "./screen.ts";

const colored = painter({ hasColor: true });

describe("a table", () => {
  it("stands straight although some of its cells are colored", () => {
    const lines = alignColumns(
      [
        [colored.red("no"), "1"],
        ["fine", "2"],
      ],
      80,
    ).split("\n");
    expect(lines.map((line) => line.lastIndexOf(line.endsWith("1") ? "1" : "2"))).toEqual([16, 6]);
  });

  it("is cut at the edge by what is seen, and its colors end", () => {
    const line = alignColumns([[colored.green("abcdef"), "ghij"]], 5);
    expect(line).toBe(`${colored.green("abcd")}…`);
    expect(renderTitledTable(["A"], [["abcdef"]], { hasColor: false, width: 4 })).toBe("A\nabc…\n");
  });

  it("aligns its columns whatever the scripts and emoji in its cells", () => {
    const names = ["plain", "日本語", "👨‍👩‍👧‍👦 family", "🇯🇵🇩🇪", "nai\u0308ve", colored.red("한국")];
    const lines = alignColumns(
      names.map((name) => [name, "x"]),
      80,
    ).split("\n");
    expect(new Set(lines.map(visibleWidth))).toEqual(new Set([12]));
  });

  it("is cut between graphemes", () => {
    expect(alignColumns([["日本語です"]], 6)).toBe("日本…");
    expect(alignColumns([[`${colored.green("日")}${colored.red("日a")}`]], 4)).toBe(
      `${colored.green("日")}…`,
    );
    expect(alignColumns([["ab👨‍👩‍👧‍👦cd"]], 4)).toBe("ab…");
  });
});

it("JSON for a terminal holds nothing that a terminal would obey, and is still the same value", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const line = toJsonLine({ text });
      expect(sanitizeForTerminal(line)).toBe(line);
      expect(JSON.parse(line)).toEqual({ text });
    }),
  );
});

it("foreign text becomes one line that is not too long", () => {
  expect(shortenToColumns("a\nb\u001b[2Jcdef", 6)).toBe("a b […");
  expect(shortenToColumns("🚀🚀🚀", 4)).toBe("🚀…");
});
