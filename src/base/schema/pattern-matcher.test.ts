import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import { readPattern } from "./pattern/read-pattern.ts";
import { checkPattern, toLinearSyntax, toPatternMatcher } from "./pattern-matcher.ts";
import { schemaLimits } from "./plain/plain-schema.ts";

const refusal = (source: string): string => {
  try {
    checkPattern(source, "/pattern");
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
};

describe("pattern engine", () => {
  it.each([
    "^[a-z0-9-]+$",
    "^\\d{4}-\\d{2}-\\d{2}$",
    "^[A-Za-z_]\\w*",
    "^.{1,5000}$",
    "\\S",
    "abc",
    "^$",
    "^(?:[a-z]+):\\d+$",
  ])("matches %s natively because no repetition is ambiguous", (source) =>
    expect(toPatternMatcher(source).engine).toBe("native"),
  );

  it.each(["^(a+)+$", "(a|a)*$", "a+b", "^a*a*$", "^.*foo", "^(?:ab)+$", "[a-z]+$", "^\\p{L}+\\d$", "\\:"])(
    "matches %s with the engine that does not backtrack",
    (source) => expect(toPatternMatcher(source).engine).toBe("linear"),
  );
});

describe("matching time", () => {
  it.each(["^(a+)+$", "(a|aa)+$", "^(?:a?){500}b$", "^(.*)*=(.*)*$"])(
    "of %s is linear for 100,000 characters",
    (source) => {
      const matcher = toPatternMatcher(source);
      const text = `${"a".repeat(100_000)}!`;
      expect(expectToFinish(() => matcher.test(text))).toBe(false);
    },
  );
});

describe("checkPattern", () => {
  it.each([
    ["(?=a)b", "looks ahead or behind"],
    ["(?<!a)b", "looks ahead or behind"],
    ["(a)\\1", "refers back to a group"],
    ["(?<x>a)\\k<x>", "refers back to a group"],
    ["(?i:a)", "has a group that is not"],
    ["\\Z", "has an escape that ECMA-262 does not know"],
    ["\\p{Nonsense}", "names a property that Unicode does not have"],
    ["a{,5}", 'has a "{" that does not start a count'],
    ["a{5,2}", "repeats at least 5 and at most 2 times"],
    ["^*", "repeats an assertion"],
    ["+a", "repeats nothing"],
    ["(a", 'has a "(" that is not closed'],
    ["a)", 'has a ")" that closes nothing'],
    ["[a", 'has a "[" that is not closed'],
    ["[z-a]", "has a range in the wrong order"],
    ["(?:ab){2000}", "repeats so much"],
  ])("rejects %s with its pointer", (source, why) => {
    const message = refusal(source);
    expect(message).toContain("The schema is refused at /pattern: the pattern");
    expect(message).toContain(why);
  });
});

it("checkPattern rejects a pattern that exceeds the length limit before parsing", () => {
  expect(refusal("a".repeat(schemaLimits.patternLength + 1))).toContain("is longer than 4000 characters");
});

describe("ECMA-262 semantics with the u flag", () => {
  const linear = (source: string) => toPatternMatcher(`(?:${source})|(?:${source})`);

  it.each([
    ["^\\s$", "\ufeff", true],
    ["^\\s$", "\u2028", true],
    ["^\\w$", "é", false],
    ["^\\d$", "\u0665", false],
    ["^.$", "\u2028", false],
    ["^.$", "😀", true],
    ["^[😀]$", "😀", true],
    ["^\\ud83d\\ude00$", "😀", true],
    ["^\\u{1f600}$", "😀", true],
    ["^[^a]$", "\ud800", true],
    ["^\\p{Letter}+$", "Straße", true],
    ["^\\p{Script=Greek}$", "α", true],
    ["^\\P{L}$", "1", true],
    ["^[^\\p{L}]$", "a", false],
    ["^[\\p{Lu}\\d]+$", "A1", true],
    ["a$", "a\n", false],
    ["\\bcat\\b", "a cat sat", true],
    ["\\bé", "é", false],
    ["^\\cA$", "\u0001", true],
    ["^[\\b]$", "\b", true],
    ["^[]$", "a", false],
    ["^[^]$", "\n", true],
    ["^a{0}$", "", true],
    ["^(?<year>\\d{4})$", "2024", true],
    ["^[\\w-.]+$", "a-.", true],
    ["^\\_\\@$", "_@", true],
    ["^{x}$", "{x}", true],
  ])("match %s against %j as %s", (source, text, expected) => {
    expect(toPatternMatcher(source).test(text)).toBe(expected);
    expect(linear(source).engine).toBe("linear");
    expect(linear(source).test(text)).toBe(expected);
  });

  const character = fc.constantFrom(
    "a",
    "b",
    "-",
    "1",
    ".",
    "\\d",
    "\\w",
    "\\s",
    "[ab]",
    "[^a]",
    "[\\d-]",
    "\\.",
    "é",
    "😀",
  );
  const pattern = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      character,
      fc.constantFrom("^", "$", "\\b", "\\B"),
      fc.array(tie("node"), { maxLength: 3 }).map((parts) => `(${parts.join("")})`),
      fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${a}|${b})`),
      fc
        .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "*?", "{0,1}?"))
        .map(([body, count]) => `(?:${body})${count}`),
    ),
  })).node;
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "-", "1", ".", " ", "\n", "é", "😀", "\ud800"),
    maxLength: 6,
  });

  it("agree between both engines for any pattern and text", () => {
    fc.assert(
      fc.property(
        fc.array(pattern, { minLength: 1, maxLength: 3 }),
        fc.array(text, { minLength: 1 }),
        (parts, texts) => {
          const source = parts.join("");
          const native = new RegExp(source, "u");
          const chosen = toPatternMatcher(source);
          const matcher = toPatternMatcher(`(?:${source})|(?:${source})`);
          expect(toLinearSyntax(readPattern(source))).not.toContain("undefined");
          for (const each of texts) {
            // V8 looks for \B inside a surrogate pair, where ECMA-262 starts no match; such patterns are not
            // matched natively.
            if (source.includes("\\B") && each.includes("😀")) continue;
            expect([source, each, matcher.test(each)]).toEqual([source, each, native.test(each)]);
            expect([source, each, chosen.test(each)]).toEqual([source, each, native.test(each)]);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
