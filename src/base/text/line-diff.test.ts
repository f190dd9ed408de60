import fc from "fast-check";
import { expect, it } from "vitest";
import { lineDiff, textDiff } from "./line-diff.ts";

const side = (diff: string, mark: string): string =>
  diff
    .split("\n")
    .filter((line) => line.startsWith(mark) || line.startsWith(" "))
    .map((line) => line.slice(2))
    .join("\n");

it("textDiff shows removed and added lines between unchanged ones", () => {
  expect(textDiff("a\nb\nc\nd", "a\nx\nc\ny\nd")).toBe("  a\n- b\n+ x\n  c\n+ y\n  d");
  expect(textDiff("a", "b")).toBe("- a\n+ b");
  expect(textDiff("same", "same")).toBe("");
});

it("textDiff contains both texts completely", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = textDiff(before, after);
      expect(before === after ? "" : side(diff, "-")).toBe(before === after ? diff : before);
      expect(before === after ? "" : side(diff, "+")).toBe(before === after ? diff : after);
    }),
  );
});

it("textDiff keeps as many common lines as possible", () => {
  const kept = textDiff("b\na\nb\nc", "a\nb\nd\nc").match(/^ {2}/gm);
  expect(kept).toHaveLength(3);
});

it("lineDiff keeps as many common lines as an exhaustive search", () => {
  const most = (was: readonly string[], now: readonly string[]): number => {
    if (was.length === 0 || now.length === 0) return 0;
    if (was[0] === now[0]) return 1 + most(was.slice(1), now.slice(1));
    return Math.max(most(was.slice(1), now), most(was, now.slice(1)));
  };
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
  fc.assert(
    fc.property(text, text, (was, now) => {
      expect(lineDiff(was, now).filter(({ sign }) => sign === " ")).toHaveLength(most(was, now));
    }),
    { numRuns: 300 },
  );
});

it("lineDiff shows one changed line of a long text as one", () => {
  const was = Array.from({ length: 3_000 }, (_, index) => `${index}`);
  const changed = lineDiff(was, was.with(2_000, "x")).filter(({ sign }) => sign !== " ");
  expect(changed).toEqual([
    { sign: "-", text: "2000" },
    { sign: "+", text: "x" },
  ]);
});

it("textDiff handles two long different texts and contains both completely", () => {
  const [before, after] = ["a", "b"].map((word) =>
    Array.from({ length: 5_000 }, (_, i) => `${word}${i}`).join("\n"),
  );
  const diff = textDiff(before!, after!);
  expect(side(diff, "-")).toBe(before);
  expect(side(diff, "+")).toBe(after);
});

it("textDiff shows only added or removed lines when one text is missing", () => {
  expect(textDiff(undefined, "a\nb")).toBe("+ a\n+ b");
  expect(textDiff("a", undefined)).toBe("- a");
});
