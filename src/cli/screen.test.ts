import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../test/kit/any-text.ts";
import { forTerminal, painter, shorten, table, titled, toJsonLine } from "./screen.ts";

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
});
