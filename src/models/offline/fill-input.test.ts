import { describe, expect, it } from "vitest";
import { specOf } from "../../../test/exports/spec-of.ts";
import type { JsonSchema } from "../../types/json.ts";
import { fillInput } from "./fill-input.ts";

const text = { type: "string" };
const number = { type: "number" };
const email = { type: "string", format: "email" };

type Properties = Readonly<Record<string, JsonSchema>>;

const objectOf = (properties: Properties, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
});

const fill = (said: string, input: JsonSchema) => fillInput(specOf(input, { name: "probe" }), said);

describe("a named value is read", () => {
  it.each<[string, string, Properties, Record<string, unknown>]>([
    ["after a colon, up to a comma", "city: new york, please", { city: text }, { city: "new york" }],
    ["after an equals sign", "level=high now; go", { level: text }, { level: "high now" }],
    [
      "up to the next name",
      "first: a b second: c",
      { first: text, second: text },
      { first: "a b", second: "c" },
    ],
    ["up to the end of the sentence", "rate: 2.5. Thanks", { rate: number }, { rate: 2.5 }],
    ["as a number with a unit", "count: 5 apples", { count: number }, { count: 5 }],
    ["as a boolean", "dry run: true", { dryRun: { type: "boolean" } }, { dryRun: true }],
    ["as a quotation", 'title "y, z", body "x"', { body: text, title: text }, { body: "x", title: "y, z" }],
    [
      "as a number after the name",
      "room 4, guests 2",
      { guests: number, room: number },
      { guests: 2, room: 4 },
    ],
    ["after a word such as is or of", "a limit of 5", { limit: number }, { limit: 5 }],
    ["as a capitalized word", "5 from EUR to USD", { to: text, from: text }, { to: "USD", from: "EUR" }],
    ["with the name in another case", "Max-Results: 5", { maxResults: number }, { maxResults: 5 }],
    ["with the name outside of quotations", '"to: x" and to: y', { to: text }, { to: "y" }],
  ])("%s", (_, said, properties, input) => {
    expect(fill(said, objectOf(properties))).toEqual({ input, issues: [] });
  });

  it("for an optional parameter", () => {
    const input = objectOf({ city: text, days: number }, ["city"]);
    expect(fill("rain in Oslo, days: 3", input).input).toEqual({ city: "Oslo", days: 3 });
    expect(fill("rain in Oslo for 3 of us", input).input).toEqual({ city: "Oslo" });
  });
});

describe("a listed value is read", () => {
  const unit = { enum: ["celsius", "fahrenheit", "in"] };

  it.each<[string, string, JsonSchema, Record<string, unknown>]>([
    ["when the text mentions it", "in Fahrenheit", objectOf({ unit }, []), { unit: "fahrenheit" }],
    ["unless the text mentions several", "celsius or fahrenheit", objectOf({ unit }, []), {}],
    ["unless it is optional and a common word", "in there", objectOf({ unit }, []), {}],
    [
      "when it is required and a common word",
      "turn it on",
      objectOf({ to: { enum: ["on", "off"] } }),
      { to: "on" },
    ],
    ["when it is the only one", "whatever", objectOf({ kind: { const: 1 } }), { kind: 1 }],
  ])("%s", (_, said, schema, input) => {
    expect(fill(said, schema).input).toEqual(input);
  });
});

describe("the only required parameter left takes", () => {
  it.each<[string, string, Properties, Record<string, unknown>]>([
    ["the only number", "Refund 250 euros", { amount: number }, { amount: 250 }],
    ["the only quotation", `Refund "A 17" for Ada`, { order: text }, { order: "A 17" }],
    ["the only code", "Refund A-17 now", { order: text }, { order: "A-17" }],
    ["the only capitalized word", "Hello, I'm Ada", { name: text }, { name: "Ada" }],
    ["the only row of capitalized words", "It rains in New York.", { city: text }, { city: "New York" }],
    ["the only url", "Open https://x.org/a?b=1, now.", { link: text }, { link: "https://x.org/a?b=1" }],
    ["the only date", "on 2026-02-03", { day: text }, { day: "2026-02-03" }],
    ["a number as text if there is nothing else", "show it: user 42", { id: text }, { id: "42" }],
    ["the value that fits its format", "Mail Bob, bob@x.org", { whom: email }, { whom: "bob@x.org" }],
    [
      "one of each kind",
      `Refund 250 for "A-17"`,
      { order: text, euros: number },
      { order: "A-17", euros: 250 },
    ],
    [
      "the whole text if it is a prompt",
      "find cats in Oslo",
      { query: text },
      { query: "find cats in Oslo" },
    ],
    ["the quotation if it is a prompt", 'find "cats"', { query: text }, { query: "cats" }],
  ])("%s", (_, said, properties, input) => {
    expect(fill(said, objectOf(properties)).input).toEqual(input);
  });
});

describe("nothing is guessed for", () => {
  it.each<[string, string, Properties]>([
    ["two numbers and one parameter", "2 or 3", { n: number }],
    ["two numbers and two parameters", "add 2 and 3", { a: number, b: number }],
    ["two capitalized words", "from Oslo via Rome", { city: text }],
    ["the first word of a sentence", "Rain. Oslo", { city: text }],
    ["a number in a date or a code", "2026-02-03 and A-17", { n: number }],
    ["a number that would lose digits", "12345678901234567890", { n: number }],
  ])("%s", (_, said, properties) => {
    expect(fill(said, objectOf(properties)).input).toEqual({});
  });
});

it("a JSON object gives all arguments", () => {
  const input = objectOf({ guest: objectOf({ name: text }), nights: { type: "array", items: number } });
  const written = { guest: { name: "Ada" }, nights: [1, 2] };
  expect(fill(`book ${JSON.stringify(written)} please`, input)).toEqual({ input: written, issues: [] });
  expect(fill('city: Oslo, not {"a":1}', objectOf({ city: text })).input).toEqual({ city: "Oslo" });
});

describe("issues", () => {
  const messagesOf = (said: string, input: JsonSchema) =>
    fill(said, input).issues.map(({ message }) => message);

  it("name a missing argument", () => {
    expect(messagesOf("go", objectOf({ city: text }))).toEqual(["/city is required (string) but missing"]);
  });

  it("say why a named value does not fit", () => {
    const input = objectOf({ count: { type: "integer", maximum: 100 } });
    expect(messagesOf("count: 500", input)).toEqual([expect.stringMatching(/^\/count .*100/)]);
    expect(messagesOf("count: many", input)).toEqual([expect.stringMatching(/^\/count .*integer/)]);
  });

  it("say that a schema is invalid", () => {
    expect(messagesOf("a: 1", { type: "object", properties: { a: { type: "nonsense" } } })).toEqual([
      "its schema is invalid",
    ]);
  });

  it("are absent without parameters", () => {
    expect(fill("now", { type: "object" })).toEqual({ input: {}, issues: [] });
  });
});
