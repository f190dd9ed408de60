import { describe, expect, it } from "vitest";
import { readGram } from "./read-gram.ts";
import { type ValidateGramOptions, validateGram } from "./validate-gram.ts";

const reported = (text: string, options?: ValidateGramOptions): readonly string[] => {
  const reading = readGram(text);
  if (!reading.ok) throw new Error(reading.diagnostics[0]?.message);
  return validateGram(reading.document, options).map(({ line, column, code }) => `${line}:${column} ${code}`);
};

describe("validateGram", () => {
  it.each([
    ["(a)-->(b)\n(a)-->(c)"],
    ["(a:Person)-->(b)\n(a:Person)-->(c)"],
    ["(a)-->(b)\n(a:Person {k: 1})"],
    ["[a | b, c]\n(b)\n[c]"],
    ["[a | `1`]\n(1)"],
    ["[x:Agent | [t:Tool | (name::String)==>(::String)], [u:Tool | (name::Integer)==>(::String)]]"],
    ["[t:Tool | (t::String)==>(::String)]"],
    ['[t:Tool | (address::Object {description: "d"})==>(::String), [address:Object | (city::String)]]'],
    ["[t:Tool | (city::Integer)==>(a::Object)==>(::String), [a:Object | (city::String)]]"],
    ["[x:Agent | t]\n[t:Tool | ()==>(::String)]"],
  ])("accepts %j", (text) => {
    expect(reported(text)).toEqual([]);
  });

  it.each([
    ["[a | b]", ["1:6 undefined-reference"]],
    ["[x:Agent | p]\n[t:Tool | (p::String)==>(::String)]", ["1:12 undefined-reference"]],
    ["[a]\n[a]", ["2:2 duplicate-definition"]],
    ["[a]\n[b | [a]]", ["2:7 duplicate-definition"]],
    ["(a:Person)\n(a:Robot)", ["2:2 duplicate-definition"]],
    ["(a)-[r]->(b)-[r]->(c)", ["1:15 duplicate-definition"]],
    ["@@a (x)\n[a]", ["2:2 duplicate-definition"]],
    ["[t:Tool | (a::String)==>(a::Integer)==>(::String)]", ["1:26 duplicate-definition"]],
    ["[a | a]", ["1:6 self-containment"]],
    ["[a | (a)]", ["1:7 self-containment"]],
    ["[a | [b | [c | a]]]", ["1:16 self-containment"]],
    ["[a | [| a]]", ["1:9 self-containment"]],
    ["[a | b]\n[b | c]\n[c | a]", ["3:6 self-containment"]],
    ["{k: null} (a {l: [null], m: {n: null}})", ["1:5 null-symbol", "1:19 null-symbol", "1:33 null-symbol"]],
  ])("reports for %j the problems %j", (text, expected) => {
    expect(reported(text)).toEqual(expected);
  });

  it("accepts names that another file defines", () => {
    expect(reported("[a | b, c]", { defined: ["b"] })).toEqual(["1:9 undefined-reference"]);
  });

  it("explains the problem with a hint", () => {
    const reading = readGram("[a | b]");
    expect(reading.ok && validateGram(reading.document)).toEqual([
      {
        line: 1,
        column: 6,
        offset: 5,
        code: "undefined-reference",
        message: "Expected `b` to be defined, found only references to it.",
        hint: "Define it in brackets, `[b:Label]`, or correct the name.",
      },
    ]);
  });

  it("reports duplicate keys everywhere", () => {
    expect(reported("{k: 1, k: 2}\n(a {x: 1, `x`: 2})-[{y: 1, y: 1}]->(b)")).toEqual([
      "1:8 duplicate-key",
      "2:11 duplicate-key",
      "2:28 duplicate-key",
    ]);
  });

  it("finds a cycle of a hundred thousand brackets", () => {
    const count = 100_000;
    const text = Array.from({ length: count }, (_, index) => `[n${index} | n${(index + 1) % count}]`).join(
      "\n",
    );
    expect(reported(text)).toEqual([`${count}:${`[n${count - 1} | `.length + 1} self-containment`]);
  });
});
