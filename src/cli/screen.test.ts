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

describe("table", () => {
  it("aligns columns with colored cells", () => {
    const lines = alignColumns(
      [
        [colored.red("no"), "1"],
        ["fine", "2"],
      ],
      80,
    ).split("\n");
    expect(lines.map((line) => line.lastIndexOf(line.endsWith("1") ? "1" : "2"))).toEqual([16, 6]);
  });

  it("is truncated by visible width, and its colors end", () => {
    const line = alignColumns([[colored.green("abcdef"), "ghij"]], 5);
    expect(line).toBe(`${colored.green("abcd")}…`);
    expect(renderTitledTable(["A"], [["abcdef"]], { hasColor: false, width: 4 })).toBe("A\nabc…\n");
  });

  it("aligns columns with any script and emoji", () => {
    const names = ["plain", "日本語", "👨‍👩‍👧‍👦 family", "🇯🇵🇩🇪", "nai\u0308ve", colored.red("한국")];
    const lines = alignColumns(
      names.map((name) => [name, "x"]),
      80,
    ).split("\n");
    expect(new Set(lines.map(visibleWidth))).toEqual(new Set([12]));
  });

  it("is truncated between graphemes", () => {
    expect(alignColumns([["日本語です"]], 6)).toBe("日本…");
    expect(alignColumns([[`${colored.green("日")}${colored.red("日a")}`]], 4)).toBe(
      `${colored.green("日")}…`,
    );
    expect(alignColumns([["ab👨‍👩‍👧‍👦cd"]], 4)).toBe("ab…");
  });
});

it("writes JSON without terminal control characters and with the same value", () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const line = toJsonLine({ text });
      expect(sanitizeForTerminal(line)).toBe(line);
      expect(JSON.parse(line)).toEqual({ text });
    }),
  );
});

it("shortens foreign text to one line", () => {
  expect(shortenToColumns("a\nb\u001b[2Jcdef", 6)).toBe("a b […");
  expect(shortenToColumns("🚀🚀🚀", 4)).toBe("🚀…");
});
