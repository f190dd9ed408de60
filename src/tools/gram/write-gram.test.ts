import { describe, expect, it } from "vitest";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { Bracket, GramDocument, Path, Value } from "./document.ts";
import { readGram } from "./read-gram.ts";
import { writeGram } from "./write-gram.ts";

const read = (text: string): GramDocument => {
  const reading = readGram(text);
  if (!reading.ok) throw new Error(reading.diagnostics[0]?.message);
  return reading.document;
};

const canonical = (text: string): string => writeGram(read(text));
const fence = "```";

const agent = `// Greets people.
{kind: "agents"}

[hello:Agent {description: "Greets", instruction: ${fence}
Be kind.
Be short.
${fence}, model: "OpenAI/gpt-4o-mini"} |
  [sayHello:Tool {description: "Says hello to one person, by name, in the language that the person speaks"} | (personName::String {default: "world"})==>(::String)], // the only one
  other
]
`;

describe("writeGram", () => {
  it.each([
    ["", ""],
    ["{}", "{}\n"],
    ["(a)(b)", "(a)\n(b)\n"],
    ["(a)\n\n\n(b)", "(a)\n\n(b)\n"],
    ["(  a :  B::C { k : 1 , l::2 } )", "(a:B::C {k: 1, l:: 2})\n"],
    ["(a {})", "(a)\n"],
    ["(a)-[ ]->(b)", "(a)-->(b)\n"],
    ["(a)-[{}]->(b)", "(a)-->(b)\n"],
    ["(a)= =>(b)", "(a)==>(b)\n"],
    ["[{}|a]({})", "[| a]\n()\n"],
    ["(a {k: ts\n`x`})", "(a {k: ts`x`})\n"],
    [`(a {k: ${fence} md \nx${fence}})`, `(a {k: ${fence}md\nx${fence}})\n`],
    ["(a)<~[r:T {k:1}]~(b)", "(a)<~[r:T {k: 1}]~(b)\n"],
    ["(`a`:`B` {`k`: 1, `l m`: 2})", '(a:B {k: 1, "l m": 2})\n'],
    ["(`two words`:`a:b`)", "(`two words`:`a:b`)\n"],
    ["(1)(`1`)(-5)", "(1)\n(`1`)\n(-5)\n"],
    ["(a {k: 'it\\'s \"x\"'})", '(a {k: "it\'s \\"x\\""})\n'],
    ["(a {k: ts`a \\` \\\\d`})", "(a {k: ts`a \\` \\\\d`})\n"],
    [
      "(a {k: 007, l: 0xFF, m: 1.50, n: 1 .. 2, o: -0xFF})",
      "(a {k: 007, l: 0xFF, m: 1.50, n: 1..2, o: -0xFF})\n",
    ],
    ["(a {k: [1,x], l: {}, m: {a:1}})", "(a {k: [1, x], l: {}, m: {a: 1}})\n"],
    ["[|a,(b)]", "[| a, (b)]\n"],
    ["@@p:L @x(1)\n(a)", "@@p:L @x(1) (a)\n"],
  ])("writes %j as %j", (text, expected) => {
    expect(canonical(text)).toBe(expected);
    expect(canonical(expected)).toBe(expected);
  });

  it("treats an arrow with an empty record like one without", () => {
    const plain = ({ at: _, ...rest }: { readonly at?: unknown }) => rest;
    const arrows = (text: string) => (read(text).items[0] as Path).arrows.map(plain);
    expect(arrows("(a)-[{}]->(b)")).toEqual(arrows("(a)-->(b)"));
  });

  it("breaks long lines and fenced text when pretty", () => {
    const pretty = writeGram(read(agent), { pretty: true, width: 80 });
    expect(pretty).toBe(`// Greets people.
{kind: "agents"}

[hello:Agent {
  description: "Greets",
  instruction: ${fence}
Be kind.
Be short.
${fence},
  model: "OpenAI/gpt-4o-mini"
} |
  [sayHello:Tool {
    description: "Says hello to one person, by name, in the language that the person speaks"
  } |
    (personName::String {default: "world"})==>(::String)
  ], // the only one
  other
]
`);
    expect(writeGram(read(pretty), { pretty: true, width: 80 })).toBe(pretty);
  });

  it("keeps comments with their nodes when nodes are reordered", () => {
    const document = read("[a |\n  // first\n  b, // b\n  // second\n  c\n  // end\n]");
    const bracket = document.items[0] as Bracket;
    const [b, c] = bracket.elements;
    const elements = [c!, { kind: "reference", identity: { kind: "name", name: "new" } } as const, b!];
    expect(writeGram({ ...document, items: [{ ...bracket, elements }] })).toBe(
      "[a |\n  // second\n  c,\n  new,\n  // first\n  b // b\n  // end\n]\n",
    );
  });

  it("writes brackets up to the maximum depth and rejects deeper ones", () => {
    const text = `${"[|".repeat(499)}[]${"]".repeat(499)}`;
    const deepest = read(text);
    expect(writeGram(read(writeGram(deepest, { pretty: true })))).toBe(writeGram(deepest));
    const outer: Bracket = {
      kind: "bracket",
      subject: { labels: [], properties: [] },
      elements: [deepest.items[0] as Bracket],
    };
    expect(() => writeGram({ items: [outer] })).toThrow("more than 500 levels of nested brackets");
  });

  it("writes each line of a new comment as a comment", () => {
    const comments = [{ text: " one\n two  " }];
    expect(writeGram({ items: [], comments })).toBe("// one\n// two\n");
  });

  it("fences a new string with line breaks where possible", () => {
    const value = (text: string): string =>
      writeGram({
        header: { properties: [{ key: "k", value: { kind: "string", value: text } }] },
        items: [],
      });
    expect(value("a\nb")).toBe(`{k: ${fence}\na\nb${fence}}\n`);
    expect(value("a\n`")).toBe('{k: "a\\n`"}\n');
    expect(value(`a\n${fence}b`)).toBe(`{k: "a\\n${fence}b"}\n`);
  });

  const node = (value: Value): GramDocument => ({
    items: [
      { kind: "path", nodes: [{ subject: { labels: [], properties: [{ key: "k", value }] } }], arrows: [] },
    ],
  });
  const path = (nodes: number, arrows: number): GramDocument => ({
    items: [
      {
        kind: "path",
        nodes: Array.from({ length: nodes }, () => ({ subject: { labels: [], properties: [] } })),
        arrows: Array.from({ length: arrows }, () => ({ family: "-", direction: "right" })),
      } satisfies Path,
    ],
  });

  it.each([
    ["an empty array", node({ kind: "array", items: [] })],
    ["a symbol of two words", node({ kind: "symbol", name: "a b" })],
    ["a symbol named true", node({ kind: "symbol", name: "true" })],
    ["an invalid number", node({ kind: "integer", text: "1e3" })],
    ["a hexadecimal measurement", node({ kind: "measurement", amount: "0", unit: "xFF" })],
    ["a range without ends", node({ kind: "range" })],
    ["an invalid tag", node({ kind: "tagged", tag: "a b", value: "x" })],
    ["a path without nodes", path(0, 0)],
    ["a path with too many arrows", path(2, 2)],
    [
      "an empty annotation",
      {
        items: [
          { kind: "annotated", subject: { labels: [], properties: [] }, target: path(1, 0).items[0] as Path },
        ],
      },
    ],
  ] satisfies [string, GramDocument][])("rejects %s, which gram cannot express", (_, document) => {
    expect(() => writeGram(document)).toThrow(ToolDefinitionError);
  });
});
