import { describe, expect, it } from "vitest";
import { displayWidth } from "../../base/text/display-width.ts";
import { type Diagnostic, formatDiagnostic } from "./format-diagnostic.ts";
import { readGram } from "./read-gram.ts";

const diagnose = (text: string): readonly Diagnostic[] => {
  const reading = readGram(text, { duplicateKeys: "refuse" });
  return reading.ok ? [] : reading.diagnostics;
};

const reported = (text: string): readonly string[] =>
  diagnose(text).map(({ line, column, code, message, hint }) =>
    `${line}:${column} ${code}: ${message} ${hint ?? ""}`.trim(),
  );

const annotationHint =
  "Annotations are allowed only before top-level items: write it there, or as a property in braces.";
const nestedHint =
  "Arrays and maps hold plain values only: make it a separate element, or put JSON in a string tagged json.";

describe("common mistakes", () => {
  it.each([
    [
      "{a: 1,}",
      "1:6 trailing-comma: Expected a property after the comma, found `}`. Remove the comma: nothing follows it.",
    ],
    [
      "[a | b, c,\n]",
      "1:10 trailing-comma: Expected an element after the comma, found `]`. Remove the comma: nothing follows it.",
    ],
    [
      "(a),\n(b)",
      "1:4 comma-between-items: Expected the next item, found a comma. Remove the comma: top-level items are not separated by commas.",
    ],
    [
      '["node one":T]',
      "1:2 quoted-identity: Expected an identity, found a quoted string. Write `node one` in backticks.",
    ],
    [
      '[t | "p"]',
      "1:6 quoted-identity: Expected an identity, found a quoted string. Write p without quotes.",
    ],
    [
      "(a)--[r]->(b)",
      "1:4 long-arrow: Expected an arrow, found one that is too long. Write one sign on each side: `-[r]->`.",
    ],
    [
      "(a)==[r]==>(b)",
      "1:4 long-arrow: Expected an arrow, found one that is too long. Write one sign on each side: `=[r]=>`.",
    ],
    [
      "{a: 1}\n{b: 2}",
      "2:1 second-record: Expected an item, found a second record. Merge it into the first one, or put it into a subject: `(a {key: 1})`.",
    ],
    [
      "(a) {b: 2}",
      "1:5 second-record: Expected an item, found a record; a record can only be at the start of the text. Move it to the top as the header, or into a subject: `(a {key: 1})`.",
    ],
    [
      "(@x(1) a)",
      `1:2 annotation-inside: Expected the node's subject, found an annotation. ${annotationHint}`,
    ],
    ["[a | @x(1) (b)]", `1:6 annotation-inside: Expected an element, found an annotation. ${annotationHint}`],
    ["# note\n(a)", "1:1 hash-comment: Expected gram, found `#`. Comments begin with `//`."],
    ["(a)->(b)", "1:4 short-arrow: Expected an arrow, found half of one. Write `-->`."],
    ["(a)-(b)", "1:4 short-arrow: Expected an arrow, found half of one. Write `--`."],
    [
      "(a)-->[b]",
      "1:7 unexpected: Expected a node after the arrow, found `[`. Arrows join nodes in parentheses: `(a)-->(b)`; a bracket lists what it joins: `[r | a, b]`.",
    ],
    ["(a)<-(b)", "1:4 short-arrow: Expected an arrow, found half of one. Write `<--`."],
    ["(a)<=>(b)", "1:4 short-arrow: Expected an arrow, found half of one. Write `<==>`."],
    [
      "(a {k: []})",
      "1:8 empty-array: Expected a value in the array, found `]`. Gram has no empty array: omit the property.",
    ],
    ["(a {k: [[1]]})", `1:9 nested-value: Expected a plain value, found an array. ${nestedHint}`],
    ["(a {k: {x: {y: 1}}})", `1:12 nested-value: Expected a plain value, found a map. ${nestedHint}`],
    ["(a {k: 1e3})", "1:8 bad-number: Expected a number, found `1e3`. Gram has no exponents: write 1000."],
    [
      "(a {k: 2024-01-15})",
      "1:8 bad-number: Expected a number, found `2024-01-15`. Tag a date: date`2024-01-15`, or quote it.",
    ],
    [
      "/* note */ (a)",
      "1:1 block-comment: Expected gram, found `/*`. Write `//` before each line of the comment.",
    ],
    [
      '(a {k: "open})',
      '1:8 unterminated-string: Expected " to close the string, found the end of the text. Close the string with ".',
    ],
    [
      '(a {k: "\\u0041"})',
      '1:9 bad-escape: Expected the escape \\b \\f \\n \\r \\t \\/ \\\\ or \\", found \\u. Gram has no \\u escape: write the character itself.',
    ],
    [
      "(a {k: 1, k: 2})",
      '1:11 duplicate-key: Expected each key once, found "k" again. Remove one of the two: gram readers disagree on which one is used.',
    ],
    [
      "[// c]",
      "1:7 unclosed: Expected `]` to close the bracket of line 1, found the end of the text. A comment runs to the end of its line: put `]` on a new one.",
    ],
    [
      "@flag (a)",
      "1:10 bad-annotation: Expected an item after the annotation, found the end of the text. If `(a)` is the item, give `@flag` a value before it: `@flag(true) (a)`.",
    ],
    [
      "[a]-->[b]",
      "1:4 unexpected: Expected a node, a path, a bracket or an annotation, found `--`. Arrows join nodes in parentheses: `(a)-->(b)`; a bracket lists what it joins: `[r | a, b]`.",
    ],
    [
      "(a {k: (b)})",
      "1:8 bad-value: Expected a value, found `(`. A node cannot be a value: make it an element, `[a | (b)]`, or join it with an arrow.",
    ],
    [
      "(a)-[:A|B]->(b)",
      "1:8 unexpected: Expected `]` to close the arrow of line 1, found `|`. Write several labels one after the other: `:A:B`.",
    ],
    ["(a {k: “x”})", "1:8 bad-value: Expected a value, found `“`. Write straight quotes."],
    [
      "(a\u00a0:B)",
      "1:3 unexpected: Expected `)` to close the node of line 1, found the invisible character U+00A0. Write a plain space, or nothing.",
    ],
  ])("%j is explained", (text, expected) => {
    expect(reported(text)).toEqual([expected]);
  });
});

describe("multiple mistakes", () => {
  it("are reported in text order", () => {
    const codes = diagnose('{a: 1,}\n# note\n(a)->(b),\n["q" | c,]\n(@x(1) n {k: [], k: 08})').map(
      ({ line, code }) => [line, code],
    );
    expect(codes).toEqual([
      [1, "trailing-comma"],
      [2, "hash-comment"],
      [3, "short-arrow"],
      [3, "comma-between-items"],
      [4, "quoted-identity"],
      [4, "trailing-comma"],
      [5, "annotation-inside"],
      [5, "empty-array"],
      [5, "duplicate-key"],
      [5, "bad-number"],
    ]);
  });

  it("are reported in later items after an invalid one", () => {
    const lines = diagnose("(a b)\n(c)\n[d |\n(e), 5 5\n]\n[f g]").map(({ line }) => line);
    expect(lines).toEqual([1, 4, 6]);
  });

  it("are limited to twenty", () => {
    expect(diagnose("(a),".repeat(100))).toHaveLength(20);
    expect(diagnose("(a b)\n".repeat(100))).toHaveLength(20);
  });
});

describe("formatDiagnostic", () => {
  const shown = (text: string): string => formatDiagnostic(text, diagnose(text)[0]!);

  it("shows the line with a caret and the hint", () => {
    expect(shown("(a)\r\n\t(b {k: 08})\r\n(c)")).toBe(
      [
        "2:9 Expected a number, found `08`.",
        "  2 | \t(b {k: 08})",
        "    | \t       ^",
        "    = A number begins with 0 only when it is octal, without a minus: drop the zeros.",
      ].join("\n"),
    );
  });

  it("places the caret correctly after wide characters", () => {
    const [, line, caret] = shown('(a {k: "日本👨‍👩‍👧‍👦", l: 08})').split("\n");
    expect(displayWidth(caret!.slice(0, caret!.indexOf("^")))).toBe(
      displayWidth(line!.slice(0, line!.indexOf("08"))),
    );
  });

  it("truncates a long line of emoji between characters", () => {
    expect(shown(`(a {k: "${"🚀".repeat(500)}", l: 08, m: "x${"🚀".repeat(500)}"})`).isWellFormed()).toBe(
      true,
    );
    expect(shown(`(a {k: "x${"🚀".repeat(500)}", l: 08, m: "${"🚀".repeat(500)}"})`).isWellFormed()).toBe(
      true,
    );
  });

  it("truncates a long line around the position", () => {
    const lines = shown(`(a {k: "${"x".repeat(500)}", l: 08, m: "${"y".repeat(500)}"})`).split("\n");
    expect(lines[1]!.length).toBeLessThan(120);
    expect(lines[1]!.slice(lines[2]!.indexOf("^")).startsWith("08")).toBe(true);
  });

  it("points after the last character when the text ends early", () => {
    expect(shown("(a")).toBe(
      "1:3 Expected `)` to close the node of line 1, found the end of the text.\n  1 | (a\n    |   ^",
    );
  });
});

describe("formatDiagnostic with invisible characters", () => {
  it("escapes them and keeps the caret in place", () => {
    const shown = formatDiagnostic("[a\u202eb]", {
      line: 1,
      column: 4,
      offset: 3,
      code: "test",
      message: "Wrong.",
    });
    expect(shown).toBe(`1:4 Wrong.\n  1 | [a<U+202E>b]\n    | ${" ".repeat("[a<U+202E>".length)}^`);
    expect(
      formatDiagnostic("\u001b[2J", { line: 1, column: 1, offset: 0, code: "t", message: "m" }),
    ).toContain("<U+001B>[2J");
  });
});
