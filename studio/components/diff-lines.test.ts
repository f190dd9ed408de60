import { describe, expect, it } from "vitest";
import { diffLines, readDiff, toPairs } from "./diff-view.tsx";

const written = (was: string, now: string): readonly string[] =>
  diffLines(was, now).map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

describe("line diff", () => {
  it("keeps the lines of both texts in order", () => {
    expect(written("a\nb\nc", "a\nx\nc\nd")).toEqual([" a", "-b", "+x", " c", "+d"]);
    expect(written("a", "a")).toEqual([" a"]);
  });

  it("pairs added lines with removed lines", () => {
    const pairs = toPairs(readDiff("  a\n- b\n- c\n+ x\n  d"));
    expect(pairs.map(([was, now]) => [was?.text, now?.text])).toEqual([
      ["a", "a"],
      ["b", "x"],
      ["c", undefined],
      ["d", "d"],
    ]);
  });
});
