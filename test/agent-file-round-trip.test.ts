import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSchema } from "../src/base/schema/read-schema.ts";
import { readAgent, readTools, toAgentJson, writeAgent } from "../src/tools/gram/agent-file.ts";
import type { AgentSpec } from "../src/tools/gram/agents/agent-spec.ts";
import { schemaToSignature } from "../src/tools/gram/schema-to-signature.ts";
import { signatureToOutputSchema, signatureToSchema } from "../src/tools/gram/signature-to-schema.ts";
import type { JsonSchema } from "../src/types/json.ts";
import type { ToolSpec } from "../src/types/tool.ts";

const runs = process.env.HAFT_SOAK === "1" ? 5_000 : 500;
const limitMs = 300_000;

/** Texts with the characters that quoting, fencing and escaping must handle. */
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(..."`\"'\\/|(){}[]:,@#-=~>\n\r\t\b\f\u0000\u2028 ax1"), maxLength: 24 }),
  fc.constantFrom(
    "```",
    "a\n```\nb",
    "`",
    "a`",
    "\\",
    "// no comment",
    "true",
    "5kg",
    "007",
    "1..2",
    "json`1`",
    "toolSpecification: x",
  ),
);
const filled = text.filter((each) => each.trim() !== "");
const number = fc
  .oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(1e21, 1e-7, 5e-324, 1.5e300),
  )
  .map((each) => each + 0);
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const forbidden = new Set(["__proto__", "constructor", "prototype", "then", "toJSON"]);
const toolName = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,12}$/)
  .filter((each) => !(each in {}) && !forbidden.has(each));
const propertyName = fc
  .oneof(fc.stringMatching(/^[a-z][a-zA-Z]{0,8}$/), filled)
  .filter((each) => !forbidden.has(each));

const closed = (properties: JsonSchema, required: readonly string[]): JsonSchema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** Schemas that signatures can express, and some that they cannot. */
const { schema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record(
      { type: fc.constantFrom("string", "boolean", "object", "array"), description: text },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      { type: fc.constantFrom("integer", "number"), minimum: number, default: fc.integer() },
      { requiredKeys: ["type"] },
    ),
    fc.record({ type: fc.constant("string"), default: text }, { requiredKeys: ["type"] }),
    fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((values) => ({ type: "string", enum: values })),
    fc.record({ type: fc.constant("string"), minLength: fc.nat(9) }),
    fc.record({
      type: fc.constant("array"),
      default: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
    }),
    fc.constant({ type: ["string", "null"] }),
    tie("schema").map((items) => ({ type: "array", items })),
    tie("object"),
  ) as fc.Arbitrary<JsonSchema>,
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(propertyName, tie("schema"), fc.boolean()), {
        selector: ([name]) => name,
        maxLength: 3,
      }),
      fc.constantFrom("closed", "closed", "closed", "open", "bare"),
    )
    .map(([fields, how]) => {
      const properties = Object.fromEntries(fields.map(([name, each]) => [name, each]));
      const required = fields
        .filter(([, each, is]) => is && each.default === undefined)
        .map(([name]) => name);
      if (how === "closed") return closed(properties, required);
      return how === "open" ? { type: "object", properties } : { type: "object" };
    }),
}));
const input = schema.map((each) => (each.type === "object" ? each : closed({ value: each }, [])));

/** Whether `tool()` accepts the schema. */
const isAccepted = (each: JsonSchema, side: "input" | "output"): boolean => {
  try {
    readSchema(each, side);
    return true;
  } catch {
    return false;
  }
};

const described = fc.record({
  name: toolName,
  description: filled.filter((each) => !/[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u.test(each)),
  returnType: some(filled),
  category: fc.constantFrom("search", "file", "code", "http", "data", "custom"),
  risk: fc.constantFrom("low", "medium", "high", "critical"),
  timeoutMs: some(fc.oneof(fc.integer({ min: 1 }), fc.constant(0.5))),
  requiresApproval: fc.boolean(),
  source: fc.oneof(fc.constantFrom("function", "mcp"), filled),
  tags: fc.array(text, { maxLength: 3 }),
  annotations: fc.record(
    {
      title: filled,
      readOnly: fc.boolean(),
      idempotent: fc.boolean(),
      destructive: fc.boolean(),
      openWorld: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  meta: some(fc.dictionary(fc.constantFrom("acme.com/a", "b/c-d"), fc.oneof(text, number), { maxKeys: 2 })),
  validate: fc.constantFrom("strict", "lenient"),
  strict: fc.boolean(),
});

/** What a tool declares: a signature, schemas, both, contradicting ones, or neither. */
const promised = fc
  .tuple(
    input.filter((each) => isAccepted(each, "input")),
    some(schema.filter((each) => isAccepted(each, "output"))),
    fc.constantFrom("none", "classic", "path", "any", "other", "alone", "free"),
    filled,
  )
  .map(([input, output, how, words]): Partial<ToolSpec> => {
    const schemas = { input, ...(output === undefined ? {} : { output }) };
    if (how === "none") return schemas;
    if (how === "free") return { input: { type: "object" }, noSchemaMode: "human-approval" };
    if (how === "any") return { ...schemas, signature: words };
    if (how === "other") return { ...schemas, signature: "(a: Text, b: Maybe [Int]) --> IO {c: Bool}" };
    const form = how === "classic" ? "classic" : "path";
    const written = schemaToSignature(input, { form, ...(output === undefined ? {} : { output }) });
    if (!written.ok) return schemas;
    const { text: signature } = written;
    const derived = {
      signature,
      input: signatureToSchema(signature),
      output: signatureToOutputSchema(signature),
    };
    return how === "alone" ? derived : { ...schemas, signature };
  });

const spec = fc.tuple(described, promised).map(([one, other]) => plain({ ...one, ...other }) as ToolSpec);

/** JSON writes -0 as 0. */
const plain = (value: object): unknown => JSON.parse(JSON.stringify(value));

const agent: fc.Arbitrary<AgentSpec> = fc
  .record({
    name: filled,
    description: some(text),
    instructions: filled,
    model: some(fc.oneof(fc.constant("OpenAI/gpt-4o-mini"), filled)),
    settings: some(
      fc.record(
        {
          temperature: number,
          maxTokens: fc.nat(),
          seed: fc.integer(),
          stop: fc.array(text, { maxLength: 2 }),
          toolChoice: fc.oneof(fc.constantFrom("auto", "none", "required"), fc.record({ tool: toolName })),
        },
        { requiredKeys: [] },
      ),
    ),
    toolSearch: some(
      fc.oneof(
        fc.constant(true as const),
        fc.record(
          {
            always: fc.array(filled, { maxLength: 2 }),
            maxCandidates: fc.integer({ min: 1 }),
            minScore: fc.constantFrom(0, 0.25, 1),
            maxLoaded: fc.integer({ min: 1 }),
            by: fc.constantFrom("haft" as const, "provider" as const),
          },
          { requiredKeys: [] },
        ),
      ),
    ),
    output: some(schema),
    tools: fc.uniqueArray(
      fc.oneof({ arbitrary: spec, weight: 3 }, { arbitrary: fc.oneof(toolName, filled), weight: 1 }),
      {
        selector: (each) => (typeof each === "string" ? each : each.name),
        maxLength: 3,
      },
    ),
    handoffs: fc.uniqueArray(text, { maxLength: 2 }),
  })
  .map((each) => plain(each) as AgentSpec);

const readOne = (source: unknown): AgentSpec => {
  const reading = readAgent(source);
  if (!reading.ok) throw new Error(`${JSON.stringify(reading.diagnostics, null, 1)}\n${source}`);
  return reading.agent;
};

describe("agent files", () => {
  it("read an agent back from gram unchanged and write the same text again", { timeout: limitMs }, () => {
    fc.assert(
      fc.property(agent, fc.boolean(), (one, pretty) => {
        const written = writeAgent(one, { pretty });
        const again = readOne(written);
        expect(again, written).toEqual(one);
        expect(writeAgent(again, { pretty })).toBe(written);
      }),
      { numRuns: runs },
    );
  });

  it("read an agent back from JSON unchanged, as text and as a value", { timeout: limitMs }, () => {
    fc.assert(
      fc.property(agent, (one) => {
        const json = toAgentJson(one);
        expect(readOne(json)).toEqual(one);
        const written = JSON.stringify(json);
        expect(readOne(written)).toEqual(one);
        expect(JSON.stringify(toAgentJson(readOne(written)))).toBe(written);
      }),
      { numRuns: runs },
    );
  });

  it("read several agents back from one file, with shared or separate tools and names", {
    timeout: limitMs,
  }, () => {
    const several = fc.tuple(
      fc.uniqueArray(agent, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(several, ([agents, isShared]) => {
        const [first] = agents;
        const all = agents.map((each, index) =>
          isShared && index > 0 ? { ...each, tools: first!.tools, handoffs: [first!.name] } : each,
        );
        const written = writeAgent(all);
        const reading = readAgent(written);
        expect(reading.ok ? reading.agents : reading.diagnostics, written).toEqual(all);
      }),
      { numRuns: Math.ceil(runs / 5) },
    );
  });
});

it("are read or refused without throwing when the text is damaged", { timeout: limitMs }, () => {
  const pieces = fc.constantFrom(
    "",
    "`",
    "```",
    '"',
    "\\",
    "\n",
    "|",
    ",",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "==>",
    "::",
    "json`",
    "toolSpecification: a\n  b: 1\n",
    "𝒳",
    "\uD800",
  );
  fc.assert(
    fc.property(
      agent,
      fc.array(fc.tuple(fc.nat(), fc.nat(6), pieces), { minLength: 1, maxLength: 4 }),
      (one, cuts) => {
        let written = writeAgent(one);
        for (const [at, length, piece] of cuts) {
          const from = at % (written.length + 1);
          written = written.slice(0, from) + piece + written.slice(from + length);
        }
        const reading = readAgent(written);
        readTools(written);
        if (reading.ok) {
          expect(readOne(writeAgent(reading.agent))).toEqual(reading.agent);
          return;
        }
        expect(reading.diagnostics.length).toBeGreaterThan(0);
        for (const { offset, line } of reading.diagnostics) {
          expect(offset).toBeLessThanOrEqual(written.length);
          expect(line).toBeLessThanOrEqual(written.split("\n").length);
        }
      },
    ),
    { numRuns: runs },
  );
});
