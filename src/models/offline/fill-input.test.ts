import { describe, expect, it } from "vitest";
import { specOf } from "../../../test/exports/spec-of.ts";
import type { JsonSchema } from "../../types/json.ts";
import { fillInput } from "./fill-input.ts";

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const flag = { type: "boolean" };
const list = { type: "array", items: text };
const email = { type: "string", format: "email" };

type Properties = Readonly<Record<string, JsonSchema>>;

const objectOf = (properties: Properties, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  properties,
  required,
});

const filled = (said: string, input: JsonSchema, name = "probe") =>
  fillInput(specOf(input, { name, description: "Does it" }), said);

describe("fillInput reads a required value from", () => {
  it.each<[string, string, Properties, Record<string, unknown>]>([
    ["its name and a colon", "city: San José, please", { city: text }, { city: "San José" }],
    ["its name and an equals sign", "run with level=high now", { level: text }, { level: "high" }],
    [
      "two names in a row",
      "first: a b second: c",
      { first: text, second: text },
      { first: "a b", second: "c" },
    ],
    ["its name in another case", "the Max-Results are 5", { maxResults: integer }, { maxResults: 5 }],
    ["a number after its name", "a radius of 4.5 cm", { radius: number }, { radius: 4.5 }],
    ["a number before its name", "for 4 people at 7", { people: integer }, { people: 4 }],
    ["a negative number", "it is -3 out there", { celsius: number }, { celsius: -3 }],
    ["a number with thousands", "pay 12,500 now", { amount: number }, { amount: 12_500 }],
    ["numbers in order", "between 2 and 30", { a: number, b: number }, { a: 2, b: 30 }],
    ["a quotation", `write 'don't panic' down`, { label: text }, { label: "don't panic" }],
    ["quotations in order", `"one" then “two”`, { a: text, b: text }, { a: "one", b: "two" }],
    [
      "a quotation after its name",
      `body "x" and title "y"`,
      { title: text, body: text },
      { title: "y", body: "x" },
    ],
    ["an introduction", "Hello, I'm Ada", { name: text }, { name: "Ada" }],
    [
      "an introduction with a full name",
      "I am Ada Lovelace.",
      { userName: text },
      { userName: "Ada Lovelace" },
    ],
    ["a name in lower case", "my name is ada", { name: text }, { name: "ada" }],
    ["a requested form of address", "call me Grace", { name: text }, { name: "Grace" }],
    ["a recipient", "Say hello to Bob", { person: text }, { person: "Bob" }],
    ["a place", "How is it in New York today?", { city: text }, { city: "New York" }],
    ["a place in lower case", "rain in oslo tomorrow?", { location: text }, { location: "oslo" }],
    [
      "origin and destination",
      "from Oslo to Rome",
      { destination: text, origin: text },
      { destination: "Rome", origin: "Oslo" },
    ],
    [
      "directions",
      "5 from EUR to USD",
      { from: text, to_currency: text },
      { from: "EUR", to_currency: "USD" },
    ],
    ["a url", "open https://example.org/a?b=1, now.", { url: text }, { url: "https://example.org/a?b=1" }],
    ["an email", "write to ada@example.org.", { to: text }, { to: "ada@example.org" }],
    ["an email by format", "Bob is bob@example.org", { who: email }, { who: "bob@example.org" }],
    ["a date", "on 2026-02-03 at 5", { when: { type: "string", format: "date" } }, { when: "2026-02-03" }],
    [
      "a date and time",
      "at 2026-02-03T10:00:00Z",
      { at: { type: "string", format: "date-time" } },
      { at: "2026-02-03T10:00:00Z" },
    ],
    [
      "a listed value",
      "in Fahrenheit please",
      { unit: { enum: ["celsius", "fahrenheit"] } },
      { unit: "fahrenheit" },
    ],
    ["a short listed value", "turn it on", { state: { enum: ["on", "off"] } }, { state: "on" }],
    [
      "listed values after their names",
      "from German to French",
      { from: { enum: ["French", "German"] }, to: { enum: ["French", "German"] } },
      { from: "German", to: "French" },
    ],
    ["the only possible value", "whatever", { kind: { const: "note" } }, { kind: "note" }],
    ["a named flag", "make it urgent", { isUrgent: flag }, { isUrgent: true }],
    ["a negated flag", "it is not urgent", { urgent: flag }, { urgent: false }],
    ["a flag with a value", "urgent: no", { urgent: flag }, { urgent: false }],
    ["a code in upper case", "what about AAPL?", { symbol: text }, { symbol: "AAPL" }],
    ["an id next to its noun", "show user 42", { userId: text }, { userId: "42" }],
    ["the remaining text", "Please probe cats in hats.", { query: text }, { query: "cats in hats" }],
    ["a list", "probe milk, eggs and bread", { items: list }, { items: ["milk", "eggs", "bread"] }],
    ["quotations for a list", `use "a b" and "c"`, { items: list }, { items: ["a b", "c"] }],
    [
      "numbers for a list",
      "of 1, 2 and 3.5",
      { values: { type: "array", items: number } },
      { values: [1, 2, 3.5] },
    ],
    ["a list in brackets", "[100,200]", { values: { type: "array", items: number } }, { values: [100, 200] }],
    [
      "emails for a list",
      "a@x.org and b@x.org",
      { to: { type: "array", items: email } },
      { to: ["a@x.org", "b@x.org"] },
    ],
    [
      "listed values for a list",
      "blue and red",
      { c: { type: "array", items: { enum: ["red", "green", "blue"] } } },
      { c: ["blue", "red"] },
    ],
    ["one of several types", "of 7", { n: { type: ["null", "integer"] } }, { n: 7 }],
    ["an alternative", "of 7", { n: { anyOf: [{ type: "null" }, { type: "number" }] } }, { n: 7 }],
  ])("%s", (_, said, properties, input) => {
    expect(filled(said, objectOf(properties))).toEqual({ ok: true, input });
  });
});

describe("fillInput without a value in the text", () => {
  it.each<[string, string, Properties]>([
    ["too many numbers", "2, 3 and 4", { a: number, b: number }],
    ["too few numbers", "just 2", { a: number, b: number }],
    ["a version instead of a number", "1.2.3", { n: number }],
    ["a date instead of a number", "2026-02-03", { n: number }],
    ["a number that loses digits", "12345678901234567890", { n: number }],
    ["a fraction instead of an integer", "it is 2.5", { n: integer }],
    ["a mood instead of a name", "I'm fine, thanks", { name: text }],
    ["a time instead of a place", "the weather for tomorrow", { city: text }],
    ["a month instead of a place", "the weather in January", { city: text }],
    ["two possible codes", "between AAPL and MSFT", { symbol: text }],
    ["two short listed values", "on or off?", { state: { enum: ["on", "off"] } }],
    ["two listed values", "red, no, blue", { color: { enum: ["red", "blue"] } }],
    ["no listed value", "make it purple", { color: { enum: ["red", "blue"] } }],
    ["no flag", "go", { urgent: flag }],
    ["a name instead of an email", "write to Bob", { to: email }],
    ["no remaining text", "probe", { query: text }],
    ["an unsupported schema", "go on", { x: { not: {} } }],
  ])("reports the value as missing: %s", (_, said, properties) => {
    const filling = filled(said, objectOf(properties));
    expect(filling.ok).toBe(false);
  });

  it("describes a missing value", () => {
    const input = objectOf({
      city: { type: "string", description: "Where to look" },
      unit: { enum: ["celsius", "fahrenheit"] },
      guest: objectOf({ name: text }),
    });
    expect(filled("go", input)).toEqual({
      ok: false,
      missing: [
        { name: "city", about: "Where to look" },
        { name: "unit", about: 'one of "celsius", "fahrenheit"' },
        { name: "guest.name", about: "" },
      ],
    });
  });

  it("reports the reason when the schema rejects a value", () => {
    const filling = filled("count: 500", objectOf({ count: { type: "integer", maximum: 100 } }));
    expect(filling).toMatchObject({
      ok: false,
      missing: [{ name: "count", about: expect.stringContaining("100") }],
    });
  });
});

describe("optional value", () => {
  const input = objectOf(
    {
      city: text,
      unit: { enum: ["celsius", "in"] },
      days: integer,
      email,
      verbose: flag,
      where: objectOf({ x: number, y: number }),
    },
    ["city"],
  );

  it("is read when the text names it", () => {
    const said = "rain in Oslo for 3 days in celsius, verbose, email a@x.org, where x=1 and y=2";
    expect(filled(said, input)).toEqual({
      ok: true,
      input: {
        city: "Oslo",
        unit: "celsius",
        days: 3,
        email: "a@x.org",
        verbose: true,
        where: { x: 1, y: 2 },
      },
    });
  });

  it("is left out when the text does not name it", () => {
    expect(filled("rain in Oslo, 3 of it, said bob@x.org", input)).toEqual({
      ok: true,
      input: { city: "Oslo" },
    });
  });

  it("is left out when it is an object with a missing member", () => {
    expect(filled("rain in Oslo where x=1", input)).toEqual({ ok: true, input: { city: "Oslo" } });
  });
});

describe("schemas", () => {
  it("are read through references, including recursive ones", () => {
    const input: JsonSchema = {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { name: text, next: { $ref: "#/$defs/node" } },
          required: ["name"],
        },
      },
    };
    expect(filled("I'm Ada", input)).toEqual({ ok: true, input: { name: "Ada" } });
  });

  it("are combined from all parts of allOf", () => {
    const input: JsonSchema = {
      type: "object",
      allOf: [objectOf({ city: text }), objectOf({ days: integer })],
    };
    expect(filled("in Oslo for 3 days", input)).toEqual({ ok: true, input: { city: "Oslo", days: 3 } });
  });

  it("without properties give an empty object", () => {
    expect(filled("now", { type: "object" })).toEqual({ ok: true, input: {} });
    expect(filled("now", {})).toEqual({ ok: true, input: {} });
  });

  it.each<[string, JsonSchema]>([
    ["cannot be compiled", { type: "object", properties: { a: { type: "nonsense" } } }],
    ["are not object schemas", { type: "string" }],
    ["require a forbidden key", { type: "object", properties: {}, required: ["__proto__"] }],
    ["have a broken reference", { $ref: "#/$defs/none" }],
  ])("that %s are rejected", (_, input) => {
    expect(filled("a: 1", input).ok).toBe(false);
  });
});
