import fc from "fast-check";
import { expect, test } from "vitest";
import { specOf } from "../../../test/exports/spec-of.ts";
import { anyText } from "../../../test/kit/any-text.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { textOf } from "../../types/content.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Message } from "../../types/message.ts";
import type { ModelRequest } from "../../types/model.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import { offline } from "../offline.ts";
import { answerOffline } from "./answer-offline.ts";

const keys = [
  "name",
  "city",
  "query",
  "to",
  "from",
  "url",
  "email",
  "date",
  "amount",
  "items",
  "is_urgent",
  "userId",
  "maxResults",
  "in",
  "a",
  "__proto__",
  "constructor",
  "ключ",
];
const choices = ["red", "green", "on", "off", "in", "celsius"];

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.constant({ type: "string" }),
  fc
    .constantFrom("email", "uri", "date", "date-time", "uuid", "ipv4")
    .map((format) => ({ type: "string", format })),
  fc.record({ type: fc.constant("string"), minLength: fc.nat(4), maxLength: fc.integer({ min: 4, max: 9 }) }),
  fc.constant({ type: "string", pattern: "^[A-Z]+$" }),
  fc.record({ type: fc.constantFrom("number", "integer"), minimum: fc.integer({ min: -5, max: 5 }) }),
  fc.constant({ type: "boolean" }),
  fc.constant({ type: ["null", "string"] }),
  fc.subarray(choices, { minLength: 1 }).map((values) => ({ enum: values })),
  fc.constantFrom("x", 1, true, null).map((value) => ({ const: value })),
  fc.constant({}),
);

const { schema } = fc.letrec<{ schema: JsonSchema; property: JsonSchema }>((tie) => ({
  property: fc.oneof(
    { maxDepth: 2 },
    leaf,
    tie("property").map((items) => ({ type: "array", items, maxItems: 3 })),
    tie("schema"),
    fc.array(tie("property"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
  schema: fc
    .tuple(
      fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 4 }),
      fc.array(tie("property"), { minLength: 4, maxLength: 4 }),
      fc.nat(15),
    )
    .map(([names, schemas, required]) => ({
      type: "object",
      properties: Object.fromEntries(names.map((name, index) => [name, schemas[index]!])),
      required: names.filter((_, index) => (required >> index) % 2 === 1),
      additionalProperties: false,
    })),
}));

const word = fc.oneof(
  fc.constantFrom(
    "weather",
    "probe",
    "send",
    "Hello,",
    "I'm",
    "Ada",
    "Lovelace",
    "in",
    "to",
    "from",
    "Oslo",
    "and",
    ";",
    ".",
    ",",
    "5",
    "-3",
    "2.5",
    "1,000",
    "[1,2]",
    "2026-01-02",
    "2026-01-02T10:00:00Z",
    "https://x.org/a?b=1.",
    "bob@x.org",
    '"quoted text"',
    "'it''s'",
    "“open",
    "city:",
    "name=",
    "query",
    "is",
    "not",
    "urgent",
    "red",
    "off",
    "user",
    "ABC-1",
    "max results",
    "\0",
    "\n",
    "transfer",
    "billing",
  ),
  fc.constantFrom(...keys),
  anyText({ maxLength: 6 }),
);
const said = fc.array(word, { maxLength: 25 }).map((words) => words.join(" "));

const tool: fc.Arbitrary<OfferedTool> = fc
  .record({ name: fc.constantFrom("probe", "get_weather", "send_mail", "handoff_to_billing"), input: schema })
  .map(({ name, input }) => ({
    wireName: name,
    spec: specOf(input, { name, description: "Probes the weather" }),
  }));

const message: fc.Arbitrary<Message> = fc.oneof(
  said.map((content): Message => ({ role: "user", content })),
  said.map(
    (content): Message => ({
      role: "assistant",
      content,
      calls: [{ id: "call-2", tool: "probe", input: content }],
    }),
  ),
  fc
    .record({ content: said, ok: fc.boolean(), tool: fc.constantFrom("probe", "handoff_to_billing") })
    .map((reply): Message => ({ role: "tool", callId: "call-2", ...reply })),
);

const request: fc.Arbitrary<ModelRequest> = fc.record({
  messages: fc
    .tuple(fc.array(message, { maxLength: 3 }), said)
    .map(([before, content]): Message[] => [...before, { role: "user", content }]),
  tools: fc.uniqueArray(tool, { maxLength: 3, selector: ({ wireName }) => wireName }),
  settings: fc.record({
    toolChoice: fc.constantFrom("auto" as const, "required" as const, { tool: "probe" }),
  }),
});

const isReadable = (input: JsonSchema): boolean => {
  try {
    compileSchema(input);
    return true;
  } catch {
    return false;
  }
};

/** Returns the leaves of a JSON value in order. */
const endsOf = (value: unknown): readonly unknown[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(endsOf) : [value];

const runs = { numRuns: 1_500 };

test("calls are valid against the given schemas for any request, and nothing throws", () => {
  let calls = 0;
  fc.assert(
    fc.property(request, (asked) => {
      const reply = answerOffline(asked, { minScore: 0.1 });
      const earlier = new Set(
        asked.messages.flatMap((one) =>
          one.role === "assistant" ? (one.calls ?? []).map(({ id }) => id) : [],
        ),
      );
      expect(reply.finish).toBe(reply.calls.length > 0 ? "calls" : "stop");
      if (reply.calls.length === 0) expect(reply.text).toMatch(/^\(offline planner\) \S/);
      for (const call of reply.calls) {
        calls++;
        const shown = asked.tools.find(({ wireName }) => wireName === call.tool);
        const input: unknown = JSON.parse(String(call.input));
        expect(compileSchema(shown!.spec.input)(input)).toMatchObject({ ok: true });
        expect(earlier.has(call.id)).toBe(false);
        earlier.add(call.id);
      }
    }),
    runs,
  );
  expect(calls).toBeGreaterThan(60);
});

test("every value of a call occurs in the text or in the schema", () => {
  const listed = new Set<unknown>([...choices, "x", 1, true, false, null]);
  fc.assert(
    fc.property(request, (asked) => {
      const text = textOf(asked.messages.at(-1) ?? { content: "" }).replaceAll("\0", " ");
      const bare = text.replaceAll(",", "");
      for (const { input } of answerOffline(asked, { minScore: 0.1 }).calls) {
        for (const value of endsOf(JSON.parse(String(input)))) {
          const isSaid =
            typeof value === "number" ? bare.includes(String(value)) : text.includes(String(value));
          expect(isSaid || listed.has(value)).toBe(true);
        }
      }
    }),
    runs,
  );
});

test("the same request gets the same reply, and the stream gives the same", async () => {
  const model = offline();
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const before = structuredClone(asked);
      const reply = await model.generate(asked);
      let text = "";
      let last: unknown;
      for await (const event of model.stream(asked)) {
        if (event.kind === "text") text += event.text;
        if (event.kind === "reply") last = event.reply;
      }
      expect(text).toBe(reply.text);
      expect(last).toEqual(reply);
      expect(asked).toEqual(before);
    }),
    { numRuns: 300 },
  );
});

test("most generated schemas are valid", () => {
  const readable = fc.sample(schema, { numRuns: 200, seed: 1 }).filter(isReadable);
  expect(readable.length).toBeGreaterThan(100);
});
