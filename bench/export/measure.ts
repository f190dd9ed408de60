import { type Format, Haft, tool } from "../../dist/index.js";

/** What one process measured. */
export interface FirstExport {
  readonly milliseconds: number;
  /** Of the thread alone: a busy machine does not count in it. */
  readonly processorMilliseconds: number;
  readonly tools: number;
}

const format = process.argv[2] as Format;
const size = Number(process.argv[3]);
const isMixed = process.argv[4] === "mixed";
if (!Number.isInteger(size) || size < 1)
  throw new Error("usage: node measure.ts <format> <tools> <plain | mixed>");

type Schema = Readonly<Record<string, unknown>>;

/** Kinds of schema as servers and libraries write them, the plain one first; no two are alike. */
const kinds: readonly ((index: number) => Schema)[] = [
  (index) => ({
    type: "object",
    properties: {
      key: { type: "string", description: `Key in archive ${index}` },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    },
    required: ["key"],
    additionalProperties: false,
  }),
  (index) => ({
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      path: { type: "string", description: `Path below folder ${index}` },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { old: { type: "string" }, new: { type: "string" } },
          required: ["old", "new"],
        },
      },
      dryRun: { type: "boolean", default: false },
    },
    required: ["path", "edits"],
  }),
  (index) => ({
    type: "object",
    properties: {
      from: { $ref: "#/$defs/place" },
      to: { $ref: "#/$defs/place", description: `Station ${index}` },
    },
    required: ["from"],
    $defs: { place: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
  }),
  (index) => ({
    type: "object",
    properties: {
      mode: { anyOf: [{ const: "fast" }, { enum: ["slow", "safe"] }], description: `Mode ${index}` },
      tags: { type: "array" },
      options: { type: "object" },
    },
  }),
];

const tools = Array.from({ length: size }, (_, index) =>
  tool({
    name: `tool_${index}`,
    description: `Looks up record ${index} of the archive`,
    input: kinds[isMixed ? index % kinds.length : 0]!(index),
    run: () => index,
  }),
);
const haft = await Haft.open({
  tools,
  config: { registry: { maxTools: size } },
  principal: { agent: "bench", allow: ["*"] },
});

const processorTime = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const begin = performance.now();
const beginProcessor = processorTime();
const offered = haft.offer({ format });
const processorMilliseconds = processorTime() - beginProcessor;
const milliseconds = performance.now() - begin;

const result: FirstExport = { milliseconds, processorMilliseconds, tools: offered.tools.length };
console.log(JSON.stringify(result));
await haft.close();
