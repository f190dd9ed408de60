import fc from "fast-check";
import { expect, test } from "vitest";
import { specOf } from "../../../test/exports/spec-of.ts";
import { anyText } from "../../../test/kit/any-text.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { Message, ToolMessage } from "../../types/message.ts";
import type { ModelRequest } from "../../types/model.ts";
import type { OfferedTool } from "../dialects/exporter.ts";
import { planReply } from "./plan-reply.ts";

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
  .record({
    name: fc.constantFrom("probe", "get_weather", "handoff_to_billing", "search_tools", "load_tools"),
    input: schema,
  })
  .map(({ name, input }) => ({
    wireName: name,
    spec: specOf(input, { name, description: "Probes the weather" }),
  }));

const request: fc.Arbitrary<ModelRequest> = fc
  .record({
    content: said,
    tools: fc.uniqueArray(tool, { maxLength: 4, selector: ({ wireName }) => wireName }),
    output: fc.option(tool, { nil: undefined }),
    toolChoice: fc.constantFrom("auto" as const, "required" as const, { tool: "probe" }),
  })
  .map(({ content, tools, output, toolChoice }) => ({
    messages: [{ role: "user", content }],
    tools,
    settings: { toolChoice },
    ...(output !== undefined && { output }),
  }));

const result: fc.Arbitrary<Pick<ToolMessage, "content" | "ok" | "flow">> = fc.record(
  {
    content: fc.oneof(
      said,
      fc.json(),
      fc.constantFrom(
        '{"tools":[{"name":"probe"}]}',
        '{"tools":[{}]}',
        '{"loaded":["probe"]}',
        '{"tools":[]}',
      ),
    ),
    ok: fc.boolean(),
    flow: fc.constant({ kind: "handoff", agent: "billing" } as const),
  },
  { requiredKeys: ["content", "ok"] },
);

const isMeta = (name: string): boolean => name === "search_tools" || name === "load_tools";
/** A search and a load before and after each handoff, of which each tool makes at most one. */
const maxTurns = 16;

test("any conversation has valid replies and ends", () => {
  let calls = 0;
  const property = fc.property(request, fc.infiniteStream(result), (given, results) => {
    const messages: Message[] = [...given.messages];
    const ids = new Set<string>();
    for (let turn = 1; ; turn++) {
      expect(turn).toBeLessThan(maxTurns);
      const asked = structuredClone(messages);
      const reply = planReply({ ...given, messages }, 0.1);
      expect(planReply({ ...given, messages: asked }, 0.1)).toEqual(reply);
      expect(reply.finish).toBe(reply.calls.length > 0 ? "calls" : "stop");
      if (reply.calls.length === 0) {
        const isAnswer = reply.text.startsWith("{") && given.output !== undefined;
        if (isAnswer) {
          expect(compileSchema(given.output!.spec.input)(JSON.parse(reply.text))).toMatchObject({ ok: true });
        } else expect(reply.text).toMatch(/^\(offline planner\) \S/);
        return;
      }
      messages.push({ role: "assistant", content: reply.text, calls: reply.calls });
      for (const { id, tool: name, input } of reply.calls) {
        calls++;
        expect(ids.has(id)).toBe(false);
        ids.add(id);
        const offered = given.tools.find(({ wireName }) => wireName === name);
        expect(offered).toBeDefined();
        if (!isMeta(name))
          expect(compileSchema(offered!.spec.input)(JSON.parse(String(input)))).toMatchObject({ ok: true });
        const { flow, ...plain } = results.next().value;
        messages.push({
          role: "tool",
          callId: id,
          tool: name,
          ...plain,
          ...(!isMeta(name) && flow && { flow }),
        });
      }
    }
  });
  fc.assert(property, { numRuns: 1_500 });
  expect(calls).toBeGreaterThan(100);
});
