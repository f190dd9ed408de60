import { describe, expect, it } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import type { GramDocument, Path, Value } from "./document.ts";
import { readGram } from "./read-gram.ts";
import { numberOf } from "./signature/value-json.ts";

const read = (text: string): GramDocument => {
  const reading = readGram(text);
  if (!reading.ok) throw new Error(reading.diagnostics[0]?.message);
  return reading.document;
};

const pathOf = (text: string): Path => {
  const item = read(text).items[0];
  if (item?.kind !== "path") throw new Error("no path");
  return item;
};

const propertyValue = (text: string): Value =>
  pathOf(`(a {k: ${text}})`).nodes[0]!.subject.properties[0]!.value;

const fence = "```";

describe("readGram", () => {
  it("reads a path as nodes and arrows", () => {
    const { nodes, arrows } = pathOf("(a::String)==>(b)<-[r:T {k: 1}]-(c)<~~>(d)--(e)");
    expect(nodes.map(({ subject }) => subject.identity?.name)).toEqual(["a", "b", "c", "d", "e"]);
    expect(arrows.map(({ family, direction }) => family + direction)).toEqual([
      "=right",
      "-left",
      "~both",
      "-none",
    ]);
    expect(arrows[1]?.subject).toMatchObject({ identity: { name: "r" }, labels: [{ name: "T" }] });
    expect(arrows[0]).not.toHaveProperty("subject");
  });

  it("treats an arrow with an empty bracket like one without", () => {
    expect(pathOf("(a)-[]->(b)").arrows[0]).not.toHaveProperty("subject");
  });

  it.each([
    ["-5", { kind: "integer", text: "-5" }, -5],
    ["1.50", { kind: "decimal", text: "1.50" }, 1.5],
    ["0xFF", { kind: "hexadecimal", text: "0xFF" }, 255],
    ["007", { kind: "octal", text: "007" }, 7],
    ["5kg", { kind: "measurement", amount: "5", unit: "kg" }, 5],
    ["-0xFF", { kind: "measurement", amount: "-0", unit: "xFF" }, -0],
    ["0xFFkg", { kind: "measurement", amount: "0", unit: "xFFkg" }, 0],
    ["123456789012345678901", { kind: "integer", text: "123456789012345678901" }, 123456789012345680000],
  ] as const)("reads the number %s", (text, expected, number) => {
    const value = propertyValue(text);
    expect(value).toMatchObject(expected);
    expect(numberOf(value as never)).toBe(number);
  });

  it.each([
    ['"a\\tb"', { kind: "string", value: "a\tb", style: "quoted" }],
    ["'it\\'s'", { kind: "string", value: "it's", style: "quoted" }],
    ["`a \\` b`", { kind: "string", value: "a ` b", style: "quoted" }],
    [`${fence}\na \`b\`\n\\n\n${fence}`, { kind: "string", value: "a `b`\n\\n\n", style: "fenced" }],
    ["date`2024-01-15`", { kind: "tagged", tag: "date", value: "2024-01-15", style: "quoted" }],
    [`${fence}json\n[]\n${fence}`, { kind: "tagged", tag: "json", value: "[]\n", style: "fenced" }],
    ["true", { kind: "boolean", value: true }],
    ["truely", { kind: "symbol", name: "truely" }],
    ["null", { kind: "symbol", name: "null" }],
    ["1..2", { kind: "range", from: { text: "1" }, to: { text: "2" } }],
    ["1...", { kind: "range", from: { text: "1" } }],
    ["...2kg", { kind: "range", to: { kind: "measurement", unit: "kg" } }],
    ["[1, x]", { kind: "array", items: [{ text: "1" }, { name: "x" }] }],
    ["{a: 1, `b c`: 2}", { kind: "map", entries: [{ key: "a" }, { key: "b c" }] }],
  ] as const)("reads the value %j", (text, expected) => {
    expect(propertyValue(text)).toMatchObject(expected);
  });

  it("reports positions in UTF-16 units", () => {
    const text = '\ufeff// 😀\r\n  (a:B {k: "😀", l: 2})-->(b)';
    const { nodes, arrows } = pathOf(text);
    expect(nodes[0]?.at).toEqual({ line: 2, column: 3, offset: 10 });
    const { identity, labels, properties } = nodes[0]!.subject;
    expect([identity?.at?.column, labels[0]?.at?.column]).toEqual([4, 5]);
    expect(properties.map(({ at, value }) => [at?.column, value.at?.column])).toEqual([
      [9, 12],
      [18, 21],
    ]);
    expect(arrows[0]?.at?.column).toBe(24);
    expect(nodes[1]?.at).toEqual({ line: 2, column: 27, offset: 34 });
  });

  it("counts lines within fenced text", () => {
    expect(read(`(a {k: ${fence}\none\ntwo\n${fence}})(b)`).items[1]?.at).toMatchObject({
      line: 4,
      column: 6,
    });
  });

  it("accepts duplicate keys unless they are refused", () => {
    expect(readGram("(a {k: 1, `k`: 2})").ok).toBe(true);
    expect(readGram("(a {k: 1, `k`: 2})", { duplicateKeys: "refuse" }).ok).toBe(false);
  });

  it("attaches each comment before, after or inside its element", () => {
    const document = read(
      "// file\n{k: 1} // header\n\n// item\n[a | // bar\n  b, // b\n  c\n  // end\n] // behind\n// last\n",
    );
    expect(document.header?.comments).toMatchObject({
      before: [{ text: " file" }],
      after: { text: " header" },
    });
    const [item] = document.items;
    expect(item).toMatchObject({
      comments: {
        before: [{ text: " item", apart: true }],
        after: { text: " behind" },
        inside: [{ text: " end" }],
      },
      elements: [{ comments: { before: [{ text: " bar" }], after: { text: " b" } } }, {}],
    });
    expect(document.comments).toMatchObject([{ text: " last" }]);
  });
});

describe("readGram performance", () => {
  const hostile = [
    "[",
    "(",
    "{",
    "`",
    '"',
    "[|",
    "(a)-",
    "@a(",
    "//\n",
    "#\n",
    "\n(",
    "{a:",
    "[|[",
    "(a {k: [",
    "...",
    "\\",
    "/*",
    "1",
  ];

  it.each(hostile)("is linear for a text of %j", (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    const reading = expectToFinish(() => readGram(text));
    if (!reading.ok) expect(reading.diagnostics.length).toBeLessThanOrEqual(20);
  });

  it("rejects deep nesting without a stack overflow", () => {
    const deep = (levels: number): string => `${"[|".repeat(levels - 1)}[]${"]".repeat(levels - 1)}`;
    expect(readGram(deep(500)).ok).toBe(true);
    expect(readGram(deep(501))).toMatchObject({ ok: false, diagnostics: [{ code: "too-deep" }] });
    expect(readGram(deep(200_000))).toMatchObject({ ok: false, diagnostics: [{ code: "too-deep" }] });
  });
});
