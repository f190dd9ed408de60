import fc from "fast-check";
import { expect, it } from "vitest";
import { textDiff } from "./line-diff.ts";

const side = (diff: string, mark: string): string =>
  diff
    .split("\n")
    .filter((line) => line.startsWith(mark) || line.startsWith(" "))
    .map((line) => line.slice(2))
    .join("\n");

it("shows what went and what came between what stays", () => {
  expect(textDiff("a\nb\nc\nd", "a\nx\nc\ny\nd")).toBe("  a\n- b\n+ x\n  c\n+ y\n  d");
  expect(textDiff("a", "b")).toBe("- a\n+ b");
  expect(textDiff("same", "same")).toBe("");
});

it("holds both texts whole, whatever they are", () => {
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

it("keeps as many lines as can be kept", () => {
  const kept = textDiff("b\na\nb\nc", "a\nb\nd\nc").match(/^ {2}/gm);
  expect(kept).toHaveLength(3);
});

it("of very long texts is ready soon, and still holds them whole", () => {
  const [before, after] = ["a", "b"].map((word) =>
    Array.from({ length: 5_000 }, (_, i) => `${word}${i}`).join("\n"),
  );
  const diff = textDiff(before!, after!);
  expect(side(diff, "-")).toBe(before);
  expect(side(diff, "+")).toBe(after);
});
