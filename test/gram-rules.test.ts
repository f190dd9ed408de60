import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GramDocument } from "../src/tools/gram/document.ts";
import { readGram } from "../src/tools/gram/read-gram.ts";
import { writeGram } from "../src/tools/gram/write-gram.ts";
import { checkByRules } from "./kit/gram-rules.ts";
import { gramTextsOf } from "./kit/gram-texts-of.ts";
import { randomGram } from "./kit/random-gram.ts";

const documents = process.env.HAFT_SOAK === undefined ? 2_000 : 20_000;
const fence = "```";
const layouts = [{}, { pretty: true }, { pretty: true, width: 20 }];

/** The same document with a fence requested for every text, even where none is possible. */
const fenced = (document: GramDocument): GramDocument =>
  JSON.parse(JSON.stringify(document), (_, value) =>
    value?.kind === "string" || value?.kind === "tagged" ? { ...value, style: "fenced" } : value,
  );

describe("the rules of the notation, checked without the reader", () => {
  it("hold for every written document, with the same texts in it", { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(randomGram, fc.boolean(), fc.constantFrom(...layouts), (drawn, isFenced, layout) => {
        const document = isFenced ? fenced(drawn) : drawn;
        const text = writeGram(document, layout);
        expect(checkByRules(text), text).toEqual({ ok: true, texts: gramTextsOf(document) });
      }),
      { numRuns: documents },
    );
  });

  it.each([
    '(a {k: "//x"})',
    '(a {k: "  //x"})',
    '(a {"//x": 1})',
    "(`//x`)",
    "(a {k: ts`//x`})",
    `(a {k: ${fence}\n//x${fence}})`,
    '(a {k: "a\nb"})',
    '(a {k: "\\u0041"})',
    "(a {k: []})",
    "(a {k: {x: {}}})",
    "(12px)",
    "(a), (b)",
    "(a)=[f]->(b)",
    "[a |]",
    "@@ (a)",
    "(a {k: 1e3})",
  ])("refuse %j", (text) => {
    expect(checkByRules(text)).toMatchObject({ ok: false });
  });

  it.each([
    ["a blank line after an opening fence", `(a {k: ${fence}\n\nx${fence}})`, ["a", "k", "x"]],
    [
      "a comment that begins a fence of several lines",
      `(a {k: ${fence}\n//x\ny${fence}})`,
      ["a", "k", "//x\ny"],
    ],
    ["spaces around the tag of a fence", `(a {k: ${fence} md \nx${fence}})`, ["a", "k", "md", "x"]],
    ["a space before a tagged text", "(a {k: ts `x`})", ["a", "k", "ts", "x"]],
    ["an escaped slash", '(a {k: "\\//x"})', ["a", "k", "//x"]],
  ])("define how %s is read", (_, text, texts) => {
    expect(checkByRules(text)).toEqual({ ok: true, texts });
  });
});

describe("a text that other parsers read differently", () => {
  const written = (text: string): string => {
    const reading = readGram(text);
    if (!reading.ok) throw new Error(reading.diagnostics[0]?.message);
    return writeGram(reading.document);
  };

  it.each([
    ['{"//k": "//v"}', '{"\\//k": "\\//v"}\n'],
    ['{k: "  //v"}', '{k: "  \\//v"}\n'],
    ["(`//n`:`//L`)", "(`\\//n`:`\\//L`)\n"],
    ["{k: ts`//v`}", "{k: ts`\\//v`}\n"],
    ['{k: "https://v"}', '{k: "https://v"}\n'],
    [`{k: ${fence}\n\nfoo${fence}}`, '{k: "\\nfoo"}\n'],
    [`{k: ${fence}md\n\nfoo${fence}}`, "{k: md`\\nfoo`}\n"],
    [`{k: ${fence}js\n// one line${fence}}`, "{k: js`\\// one line`}\n"],
    [`{k: ${fence}js\n// one\ntwo${fence}}`, `{k: ${fence}js\n// one\ntwo${fence}}\n`],
  ])("is written so that all parsers agree: %j", (text, expected) => {
    expect(written(text)).toBe(expected);
    expect(written(expected)).toBe(expected);
    expect(checkByRules(expected)).toMatchObject({ ok: true });
  });
});
