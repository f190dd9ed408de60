import { expect, it } from "vitest";
import { findProblem } from "./find-problem.ts";

const message = (text: string) => findProblem(text)?.message;

it.each([
  ["", "The text is empty; write one JSON value (line 1, column 1)."],
  ["{", 'Expected a key in double quotes or "}" but found the end of the text (line 1, column 2).'],
  ['{"a":1,}', 'Remove the comma before "}" (line 1, column 8, at /a).'],
  ["[1,]", 'Remove the comma before "]" (line 1, column 4, at /0).'],
  ["[1 2]", 'Expected "," or "]" but found "2" (line 1, column 4, at /0).'],
  ['{"a":1 "b":2}', 'Expected "," or "}" but found a double quote (line 1, column 8, at /a).'],
  ['{"a" 1}', 'Expected ":" after the key "a" but found "1" (line 1, column 6, at /a).'],
  ['{"a":True}', "True is not JSON; write true (line 1, column 6, at /a)."],
  ["[None]", "None is not JSON; write null (line 1, column 2, at /0)."],
  ["[tru", "The text ends inside true (line 1, column 2, at /0)."],
  [
    "[toString]",
    'Expected a value but found "toString"; text needs double quotes around it (line 1, column 2, at /0).',
  ],
  ["[01]", "A number must not start with 0; drop the leading zeros (line 1, column 2, at /0)."],
  ["[1.]", "A decimal point needs a digit after it (line 1, column 4, at /0)."],
  ["[1e+]", "An exponent needs a digit after it (line 1, column 5, at /0)."],
  ["[-]", "A minus sign needs a digit after it (line 1, column 2, at /0)."],
  [
    "[+1]",
    'Expected a value but found "+"; a number starts with a digit or a minus sign (line 1, column 2, at /0).',
  ],
  ['"abc', 'This string is never closed; add the missing " (line 1, column 1).'],
  ['"abc\\', "The text ends inside a string (line 1, column 5)."],
  ['"\\x41"', '"\\\\x" is not an escape that JSON has; write \\\\ for a backslash (line 1, column 2).'],
  ['"it\\\'s"', "\"\\\\'\" is not an escape that JSON has; write ' without a backslash (line 1, column 4)."],
  ['"\\u12"', "A \\u escape needs exactly four hexadecimal digits (line 1, column 2)."],
  [
    "{} {}",
    'The JSON value is complete; send nothing after it, but the text continues with "{" (line 1, column 4).',
  ],
  ["\uFEFF{}", "Expected a value but found a byte order mark; remove it (line 1, column 1)."],
])("findProblem explains %j: %s", (text, expected) => {
  expect(message(text)).toBe(expected);
});

it.each([
  ["{'a':1}", "JSON strings use double quotes"],
  ["{“a”:1}", "use the straight double quote"],
  ["```json\n{}\n```", "without a code fence"],
  ['{"a":1 // one\n}', "JSON has no comments"],
  ['"a\tb"', "A raw tab is inside a string; write it as \\t"],
  ['"a\u0001b"', "write it as \\u0001"],
])("findProblem explains %j with advice: %s", (text, advice) => {
  expect(message(text)).toContain(advice);
});

it("findProblem counts lines and columns from one and positions from zero", () => {
  expect(findProblem('{\n  "a": 1,\n  "b": x\n}')).toMatchObject({
    position: 19,
    line: 3,
    column: 8,
    pointer: "/b",
  });
});

it("findProblem escapes keys in the pointer", () => {
  expect(findProblem('{"a/b":{"~":[0,x]}}')?.pointer).toBe("/a~1b/~0/1");
});

it("findProblem shortens a key of one megabyte in message and pointer", () => {
  const problem = findProblem(`{"${"k".repeat(1_000_000)}":x}`);
  expect(problem?.message.length).toBeLessThan(300);
  expect(problem?.pointer.length).toBeLessThan(150);
});

it("findProblem returns undefined for strict JSON", () => {
  expect(findProblem(' {"a":[1,-0.5e+3,"\\ud83d\\ude00",{}, [], true,false,null]} ')).toBeUndefined();
});
