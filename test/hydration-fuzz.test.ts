import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { readJson } from "../src/base/json/read-json.ts";
import { compileSchema } from "../src/base/schema/compile-schema.ts";
import { type RepairResult, repair } from "../src/pipeline/1-hydrate/repair/repair.ts";
import type { JsonSchema } from "../src/types/json.ts";

const runs = process.env.HAFT_SOAK === "1" ? 100_000 : 10_000;
const share = (part: number) => ({ numRuns: Math.ceil(runs * part) });
const timeoutMs = 300_000;

type Arguments = Record<string, unknown>;
const closed = (properties: Record<string, unknown>, all = Object.keys(properties)): JsonSchema =>
  Object.freeze({ type: "object", properties, required: all, additionalProperties: false });

const word = fc.stringMatching(/^[a-z]{1,8}$/);
/** Texts that look like structure, escapes, literals or paths. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(..."{}[]\"':,\\/*#`“” \n\tnab1"), maxLength: 16 }),
  fc.constantFrom(
    "true",
    "null",
    "None",
    "007",
    "5",
    "{}",
    "[1]",
    "C:\\temp",
    "it's",
    '"',
    "*/",
    "a: b, c: d",
  ),
);

const tools: readonly { readonly schema: JsonSchema; readonly values: fc.Arbitrary<Arguments> }[] = [
  {
    schema: closed({ path: { type: "string" }, count: { type: "integer" }, deep: { type: "boolean" } }),
    values: fc.record({ path: text, count: fc.integer(), deep: fc.boolean() }, { noNullPrototype: true }),
  },
  {
    schema: closed({
      query: { type: "string" },
      filters: closed({
        tags: { type: "array", items: { type: "string" } },
        limit: { type: ["number", "null"] },
      }),
      names: { type: "array", items: { $ref: "#/properties/query" } },
    }),
    values: fc.record(
      {
        query: text,
        filters: fc.record(
          { tags: fc.array(text, { maxLength: 3 }), limit: fc.option(fc.integer()) },
          { noNullPrototype: true },
        ),
        names: fc.array(word, { maxLength: 3 }),
      },
      { noNullPrototype: true },
    ),
  },
  {
    schema: closed({
      target: { anyOf: [closed({ kind: { const: "file" }, name: { type: "string" } }), { type: "null" }] },
      amount: { type: "number" },
      message: { type: "string" },
    }),
    values: fc.record(
      {
        target: fc.option(fc.record({ kind: fc.constant("file"), name: text }, { noNullPrototype: true })),
        amount: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
        message: text,
      },
      { noNullPrototype: true },
    ),
  },
];

interface Case {
  readonly schema: JsonSchema;
  readonly value: Arguments;
}
const cases: fc.Arbitrary<Case> = fc.oneof(
  ...tools.map(({ schema, values }) => values.map((value) => ({ schema, value }))),
);

/** As Python would print it. */
const toPython = (value: unknown): string => {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    const body = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"');
    return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
  }
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(toPython).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${toPython(key)}: ${toPython(member)}`);
  return `{${members.join(", ")}}`;
};

/** With unquoted keys, trailing commas and comments. */
const toScript = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => `${toScript(each)},`).join("")}]`;
  const members = Object.entries(value).map(([key, member]) => `  ${key}: ${toScript(member)}, // ${key}\n`);
  return `{\n${members.join("")}}`;
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const inTexts = (value: Arguments): Arguments =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key, textOf(member)]));
const inCamelCase = (value: Arguments): Arguments =>
  Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toUpperCase(), member]));

/** Forms in which models write the same arguments. */
const writings: Readonly<Record<string, (value: Arguments) => string>> = {
  plain: (value) => JSON.stringify(value),
  indented: (value) => JSON.stringify(value, null, 2),
  python: toPython,
  script: toScript,
  twice: (value) => JSON.stringify(JSON.stringify(value)),
  "three times": (value) => JSON.stringify(JSON.stringify(JSON.stringify(value))),
  escaped: (value) => JSON.stringify(JSON.stringify(value)).slice(1, -1),
  "line breaks as two characters": (value) => JSON.stringify(value, null, 1).replaceAll("\n", "\\n"),
  fenced: (value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``,
  "in single quotes": (value) => `'${JSON.stringify(value)}'`,
  "in double quotes": (value) => `"${JSON.stringify(value)}"`,
  doubled: (value) => JSON.stringify(value) + JSON.stringify(value),
  "closed too often": (value) => `${JSON.stringify(value)}}]`,
  wrapped: (value) => JSON.stringify({ arguments: value }),
  "wrapped as text": (value) => JSON.stringify({ name: "tool", input: JSON.stringify(value) }),
  "members as texts": (value) => JSON.stringify(inTexts(value)),
  "members as Python texts": (value) => toPython(inTexts(value)),
  "other keys": (value) => JSON.stringify(inCamelCase(value)),
  "smart quotes": (value) => JSON.stringify(value).replaceAll(/"([a-z]+)":/g, "“$1”:"),
};
const writing = fc.constantFrom(...Object.keys(writings));

const around = fc.oneof(
  fc.constantFrom("", " ", "\uFEFF", "Here it is: ", "Action Input:\n", "<|call|>", "Don't ask.\n", "- "),
  fc.string({ unit: fc.constantFrom(..."ab :=\"'`,.\\n\n“<>|()"), maxLength: 8 }),
);

const repairIt = ({ schema }: Case, given: string): RepairResult => {
  const validate = compileSchema(schema);
  const result = repair({ text: given, schema, validate, tool: "tool" });
  expect(result.steps).toBeLessThanOrEqual(64 * given.length + 10_000);
  if (!result.ok) return result;
  expect(validate(structuredClone(result.value)).ok).toBe(true);
  const again = readJson(JSON.stringify(result.value));
  expect(again.ok && isDeepStrictEqual(again.value, result.value)).toBe(true);
  return result;
};

it(
  "arguments in another form, with text around them, are restored exactly or refused",
  () => {
    const came = new Map<string, number>();
    const property = fc.property(cases, writing, around, around, (each, how, before, after) => {
      const result = repairIt(each, before + writings[how]!(each.value) + after);
      if (!result.ok) return;
      expect(result.value).toEqual(each.value);
      came.set(how, (came.get(how) ?? 0) + 1);
    });
    fc.assert(property, share(0.4));
    expect([...came.keys()].sort()).toEqual(Object.keys(writings).sort());
  },
  timeoutMs,
);

it(
  "truncated arguments are never completed",
  () => {
    const property = fc.property(cases, writing, fc.nat(), (each, how, at) => {
      const whole = writings[how]!(each.value);
      const cut = whole.slice(0, at % whole.length);
      const result = repairIt(each, cut);
      if (result.ok) expect(result.value).toEqual(each.value);
      if (how === "plain" || how === "python" || how === "twice" || how === "wrapped")
        expect(result.ok).toBe(false);
    });
    fc.assert(property, share(0.2));
  },
  timeoutMs,
);

/**
 * Positions of the quotes, brackets and colons that structure a JSON text. Those inside of strings are data.
 */
const marksOf = (json: string): readonly number[] =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gs)].flatMap(({ 0: mark, index }) =>
    mark.length === 1 ? [index] : [index, index + mark.length - 1],
  );

it(
  "arguments with a missing quote, bracket or colon are refused or restored exactly",
  () => {
    const property = fc.property(cases, fc.nat(), (each, pick) => {
      const whole = JSON.stringify(each.value);
      const marks = marksOf(whole);
      const index = marks[pick % marks.length]!;
      const result = repairIt(each, whole.slice(0, index) + whole.slice(index + 1));
      if (result.ok) expect(result.value).toEqual(each.value);
    });
    fc.assert(property, share(0.1));
  },
  timeoutMs,
);

const characters = fc.string({ unit: fc.constantFrom(..."{}[]\"':,\\/*#` \ntrue1ab“"), maxLength: 3 });

it(
  "damage to a number does not change the texts next to it",
  () => {
    const spans = /"count":(-?\d+)/d;
    const property = fc.property(
      tools[0]!.values,
      fc.nat(),
      fc.nat(3),
      characters,
      (value, from, drop, put) => {
        const whole = JSON.stringify({ count: value.count, path: value.path, deep: value.deep });
        const [start, end] = spans.exec(whole)!.indices![1]!;
        const at = start + (from % (end - start + 1));
        const damaged = whole.slice(0, at) + put + whole.slice(Math.min(at + drop, end));
        const result = repairIt({ schema: tools[0]!.schema, value }, damaged);
        if (result.ok) expect((result.value as Arguments).path).toBe(value.path);
      },
    );
    fc.assert(property, share(0.1));
  },
  timeoutMs,
);

it(
  "no damage makes repair throw, exceed its step limit, or accept a value that breaks the schema",
  () => {
    const damage = fc.record({ at: fc.nat(), drop: fc.nat(4), put: characters });
    const damages = fc.array(damage, { maxLength: 4 });
    const property = fc.property(cases, writing, damages, (each, how, wounds) => {
      let damaged = writings[how]!(each.value);
      for (const { at, drop, put } of wounds) {
        const index = at % (damaged.length + 1);
        damaged = damaged.slice(0, index) + put + damaged.slice(index + drop);
      }
      repairIt(each, damaged);
    });
    fc.assert(property, share(0.2));
  },
  timeoutMs,
);
