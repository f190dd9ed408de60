import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutToWidth, displayWidth, padToWidth, shortenToWidth } from "./display-width.ts";

const family = "👨‍👩‍👧‍👦";
const flag = "🇯🇵";

describe("displayWidth", () => {
  it.each([
    ["", 0],
    ["plain", 5],
    ["naïve", 5],
    ["nai\u0308ve", 5],
    ["日本語", 6],
    ["ﾊﾝｶｸ", 4],
    ["ＡＢ", 4],
    ["한국어", 6],
    ["한".normalize("NFD"), 2],
    ["𠀋", 2],
    ["🚀", 2],
    ["👍🏽", 2],
    [family, 2],
    [flag, 2],
    ["🇯", 1],
    [`${flag}🇩🇪`, 4],
    ["1️⃣", 2],
    ["❤", 1],
    ["❤️", 2],
    ["©", 1],
    ["…", 1],
    ["─█", 2],
    ["a\u200bb", 2],
    ["\u0007", 0],
    ["नमस्ते", 4],
  ])("of %j is %d columns", (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });
});

describe("cutToWidth", () => {
  it("keeps graphemes whole", () => {
    expect(cutToWidth("日本語", 5)).toBe("日本");
    expect(cutToWidth(`a${family}b`, 2)).toBe("a");
    expect(cutToWidth(`a${family}b`, 3)).toBe(`a${family}`);
    expect(cutToWidth(`${flag}🇩🇪`, 3)).toBe(flag);
    expect(cutToWidth("e\u0301e\u0301", 1)).toBe("e\u0301");
    expect(shortenToWidth("日本語です", 6)).toBe("日本…");
    expect(shortenToWidth("日本語", 6)).toBe("日本語");
  });

  it("does not split a grapheme or exceed the width", () => {
    const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
    const unit = fc.constantFrom("a", "日", "e\u0301", family, flag, "👍🏽", "1️⃣", "𠀋", "\u200d", "🇩", "ป่");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), fc.integer({ min: 0, max: 24 }), (text, columns) => {
        const cut = cutToWidth(text, columns);
        expect(displayWidth(cut)).toBeLessThanOrEqual(columns);
        expect(text.startsWith(cut)).toBe(true);
        const boundaries = [...graphemes.segment(text)].map(({ index }) => index);
        expect([...boundaries, text.length]).toContain(cut.length);
      }),
    );
  });

  it("drops a pile of combining marks that takes no columns", () => {
    expect(cutToWidth(`ab${"\u0301".repeat(10_000)}c`, 3)).toBe("a");
    expect(shortenToWidth("\u200b".repeat(10_000), 10).length).toBeLessThan(200);
  });
});

it("padToWidth pads by columns", () => {
  expect(padToWidth("日本", 6)).toBe("日本  ");
  expect(padToWidth(family, 3)).toBe(`${family} `);
  expect(padToWidth("long", 2)).toBe("long");
});
