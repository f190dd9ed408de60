import fc from "fast-check";
import { expect, it } from "vitest";
import { editDistance } from "./nearest.ts";

it("editDistance counts insertions, deletions and substitutions", () => {
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
  expect(editDistance("same", "same")).toBe(0);
});

it("editDistance counts a transposition of neighbors as one edit", () => {
  expect(editDistance("rnu", "run")).toBe(1);
  expect(editDistance("ab", "ba")).toBe(1);
  expect(editDistance("Agnet", "Agent", 1)).toBe(1);
  expect(editDistance("abc", "cba")).toBe(2);
});

it("editDistance stops counting above its limit", () => {
  expect(editDistance("kitten", "sitting", 3)).toBe(3);
  expect(editDistance("kitten", "sitting", 2)).toBe(3);
  expect(editDistance("a", "abcdefgh", 2)).toBe(3);
});

it("editDistance agrees with a plain recursive implementation", () => {
  const plain = (one: string, other: string): number => {
    if (one === "" || other === "") return one.length + other.length;
    const costs = [
      plain(one.slice(1), other.slice(1)) + (one[0] === other[0] ? 0 : 1),
      plain(one.slice(1), other) + 1,
      plain(one, other.slice(1)) + 1,
    ];
    if (one.length > 1 && other.length > 1 && one[0] === other[1] && one[1] === other[0])
      costs.push(plain(one.slice(2), other.slice(2)) + 1);
    return Math.min(...costs);
  };
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      expect(editDistance(one, other)).toBe(plain(one, other));
    }),
  );
});

it("editDistance is symmetric with and without a limit", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 8 }), (one, other, limit) => {
      const whole = editDistance(one, other);
      expect(editDistance(other, one)).toBe(whole);
      expect(editDistance(one, other, limit)).toBe(Math.min(whole, limit + 1));
    }),
  );
});
