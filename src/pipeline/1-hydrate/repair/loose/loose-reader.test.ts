import { describe, expect, it } from "vitest";
import { compileSchema } from "../../../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../../../types/json.ts";
import { repair } from "../repair.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const list = { type: "array", items: text };
const open: JsonSchema = { type: "object" };
const object = (properties: Record<string, unknown>): JsonSchema => ({ type: "object", properties });
const some = object({ path: text, keep: text, n: integer, l: list, x: number });

const repaired = (given: string, schema: JsonSchema = some): unknown => {
  const result = repair({ text: given, schema, validate: compileSchema(schema), tool: "tool" });
  return result.ok ? result.value : `refused: ${result.why}`;
};

const refuses = (cases: readonly (readonly [string, JsonSchema?])[]): void => {
  for (const [given, schema] of cases) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      expect(repaired(given, schema)).toMatch(/^refused/);
    });
  }
};

const repairs = (cases: readonly (readonly [string, unknown, JsonSchema?])[]): void => {
  for (const [given, value, schema] of cases) {
    it(`repairs ${JSON.stringify(given)}`, () => {
      expect(repaired(given, schema)).toEqual(value);
    });
  }
};

describe("comments", () => {
  repairs([
    ['{\n // the path\n "path": "a", // end\n "n": 1 /* one */}', { path: "a", n: 1 }],
    ['{"n": 1, # one\n "path": "a"}', { n: 1, path: "a" }],
    ['{"l": [\n // first\n "a", // second\n "b"\n]}', { l: ["a", "b"] }],
    ['{"path": https://a.b/c}', { path: "https://a.b/c" }],
    [`{'path': 'https://a.b//c/*'}`, { path: "https://a.b//c/*" }],
  ]);
  refuses([
    ['{"path": src/*, "keep": dist/*/}'],
    ['{"path": src/**/}'],
    ['{"path": /*/src/*/main}'],
    ['{"path": /tmp/*, "keep": "/tmp/x", "n": 1 */}'],
    ['{"path": /srv//data}'],
    ['{\n"path": s3//bucket/key,\n"n": 1}'],
    ['{"path": /* a */ "b"}'],
    ['{"l": [/* , "a", */ ]}'],
    ['{"l": [//a\n]}'],
    ['{"path": a // b\n}'],
    ['{"path": "a"// b\n}'],
    ['{\n"path": "<script src="//cdn.com/x.js"></script>",\n"n": 1\n}'],
    ['{\n"path": "grep \\"foo" // x",\n"n": 1\n}'],
    ['{\n"path": "echo " // hi" there",\n"n": 1\n}'],
    ['{\n #path": "x",\n "n": 1\n}'],
    ['{\n "n": 1,\n //path": "x"\n}'],
    ['{\n "n": 1,\n // "path": "x"\n}'],
    ["{\n n: 1,\n // path: 2\n}"],
    ["{/*path': 'a', 'keep': 'b*/ 'n': 1}"],
  ]);
});

describe("escaped line breaks outside of strings", () => {
  repairs([
    ['{\\n "path": "a",\\n\\t"n": 5\\n}', { path: "a", n: 5 }],
    ['{"l": \\n["a"]\\n}', { l: ["a"] }],
    ['{"a": [1,\\t2, true\\n]}', { a: [1, 2, true] }, open],
  ]);
  refuses([
    ['{"path": \\new}'],
    ['{"path": \\temp}'],
    ['{"l": [\\root, \\tmp]}'],
    ['{"path": CORP\\n}'],
    ['{\\name: "x"}', object({ name: text, ame: text })],
    ['{\\nname: "x"}', open],
    ['{name\\n: "x"}', open],
    ['{"a": \\true}', open],
  ]);
});

describe("ambiguous backslash escapes", () => {
  repairs([
    ["{'path': 'one two\\nthree four\\n'}", { path: "one two\nthree four\n" }],
    [`{'path': 'x\\ny\\t"z"'}`, { path: 'x\ny\t"z"' }],
    ["{'path': 'C:\\\\x\\\\n'}", { path: "C:\\x\\n" }],
    ["{'path': 'if x:\\n    go()'}", { path: "if x:\n    go()" }],
    ['{"path": "\\d+\\.\\w"}', { path: "\\d+\\.\\w" }],
    ['{"path": "C:\\Users\\me"}', { path: "C:\\Users\\me" }],
    ['"{\\"path\\": \\"x\\\\ny\\"}"', { path: "x\ny" }],
  ]);
  refuses([
    ['{path: "C:\\foo\\bar"}'],
    ["{'path': '\\bfoo\\b'}"],
    ["{'path': '\\frac{1}{2}'}"],
    ["{'path': '$\\theta$ and $\\nu$'}"],
    ["{'path': 'C:\\temp'}"],
    ["{'path': 'go to C:\\new now'}"],
    ["{'path': 'docs\\new'}"],
    ["{'path': '\\temp'}"],
    ["{'path': 'open docs\\readme.txt'}"],
    ["{'path': 'run src\\tools\\net'}"],
    ["{'path': '\\\\\\\\server\\\\share\\new'}"],
    ['{"path": "C:\\Users\\me", "keep": "C:\\temp\\new"}'],
    ['{"path": "\\d+\\s", "keep": "a\\nb c"}'],
    ['{"path": "\\d", "keep": "say \\"b\\""}'],
    [`"{'path':'C:\\\\temp'}"`],
    [`"{\\"path\\":\\"C:\\temp\\"}"`],
    [`"{\\"path\\":\\"C:\\\\temp\\"}"`],
    [`{"o":"{'path':'C:\\\\temp'}"}`, object({ o: object({ path: text }) })],
    [`{"o":"{\\"path\\":\\"C:\\\\foo\\"}"}`, object({ o: object({ path: text }) })],
    ['{\\"path\\": \\"C:\\temp\\"}'],
    [`'{"path": "C:\\temp"}'`],
  ]);
});

describe("unnecessary escapes", () => {
  repairs([
    [`{"path": "it\\'s"}`, { path: "it's" }],
    [`{"path": "say \\'a\\'"}`, { path: "say 'a'" }],
    [`{'path': 'it\\'s'}`, { path: "it's" }],
  ]);
  refuses([
    [`{"path": "echo 'it'\\''s'"}`],
    [`{"path": "print('it\\'s')"}`],
    ['{"path": "#\\!/bin/bash"}'],
    ['{"path": "run \\`npm\\`"}'],
    [`{"path": "\\\${x}"}`],
    ['{"path": "a\\_b"}'],
    ['{"path": "\\*bold\\*"}'],
    ['{"path": "/a/my\\ file"}'],
    ['{"path": "\\1"}'],
    ['{"path": "\\uZZZZ"}'],
  ]);
});

describe("mismatched quotes", () => {
  repairs([
    ['{“path”: “say "hi" now”}', { path: 'say "hi" now' }],
    [`{'path': 'say "hi", it\\'s me'}`, { path: `say "hi", it's me` }],
    [`{'path': '{"a": "x", "keep": "y"}'}`, { path: '{"a": "x", "keep": "y"}' }],
  ]);
  refuses([
    ['{"path": “x", "keep": “y”}'],
    ['{“path": "x", "n”: 2}'],
    [`{"path": ‘x', "keep": ‘y’}`],
    [`{"path": “x" , "keep": "y”}`],
    ["{“l”:[“a”,“b,“c”]}"],
    ["{“a”:1,“b:20,“c”:3}", open],
    [`{'path': 'x", "keep": "y'}`],
    [`{path: "x', 'keep': 'y"}`],
    [`{'a"b': 1}`, open],
    ["{'a:b': 1}", open],
    ["{'a,b': 1}", open],
    ["{'deep’': 1}", open],
  ]);
});

describe("missing commas", () => {
  repairs([
    ['{"path": "a"\n"n": 1}', { path: "a", n: 1 }],
    ['{"n": 1 "path": "a"}', { n: 1, path: "a" }],
    ['{,"path": "a"}', { path: "a" }],
  ]);
  refuses([
    ['{"path": "a.txt,"\n "n": 1}'],
    ['{"path":"https://a.b/c, ""n":1}'],
    ['{"n":20",l":[]}'],
    ['{"l":["a"]",n":1}'],
    ['{"n":1 "other":2}'],
    ['{"a":1 "1":2}', open],
    ['{"path": foo "keep": "c"}'],
    ['{"x": -2.  "n": 1}'],
    ["{,}"],
    ["{,,'a': 1}", open],
    ['{"l": [,"a"]}'],
  ]);
});

describe("values without quotes", () => {
  repairs([
    ['{"path":cf56-9a1e,"l":["a", b/c]}', { path: "cf56-9a1e", l: ["a", "b/c"] }],
    ['{"n": +5, "x": .5}', { n: 5, x: 0.5 }],
    ['{"x": -.5, "n": 5.}', { x: -0.5, n: 5 }],
  ]);
  refuses([
    ['{"n": .}'],
    ['{"x": +.}'],
    ['{"x": -.}'],
    ['{"x": .5.}'],
    ['{"a": +15551234567}', open],
    ['{"a": +15551234567}', object({ a: { type: ["string", "number"] } })],
    ['{"path": path, "n": 5}'],
    ['{"path": keep}'],
    ['{"path": n:5}'],
    ['{"path": string}'],
    ['{"path": Integer}'],
    ['{"path": self.path}'],
    ['{"path": process.env.TOKEN}'],
    ['{"path": .../main.py}'],
    ['{"path": YOUR_API_KEY}'],
    ['{"path": TOKEN}'],
    ['{"path": :true}'],
    ['{"path": /}'],
    ['{"path":https://a.b/c,keep:d}'],
    ['{"l": [a, b]}'],
  ]);
});

describe("duplicate keys with equal values", () => {
  repairs([
    ['{"n":1,"path":"a","n":1}', { n: 1, path: "a" }],
    ['{"a":1,"a":1}', { a: 1 }, open],
  ]);
  refuses([['{"path":"x","l":["5"],"fipath":"x","l":["5"],"n":1}'], ['{"a":1,"b":2,"lia":1,"b":2}', open]]);
});
