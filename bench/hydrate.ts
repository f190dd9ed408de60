import { parseArgs } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchema } from "../src/base/schema/compile-schema.ts";
import { hydrate } from "../src/pipeline/1-hydrate/hydrate-arguments.ts";
import { repair } from "../src/pipeline/1-hydrate/repair/repair.ts";
import type { ToolSpec } from "../src/types/tool.ts";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Exit code 1 when strict hydration costs more than this many times JSON.parse and ajv. */
    "max-ratio": { type: "string" },
  },
});

const specOf = (input: ToolSpec["input"]): ToolSpec =>
  Object.freeze({
    name: "tool",
    description: "",
    input,
    category: "custom",
    risk: "low",
    requiresApproval: false,
    source: "function",
    tags: [],
    annotations: {},
    validate: "strict",
    strict: false,
  });

const flat = {
  type: "object",
  properties: { location: { type: "string" }, days: { type: "integer" }, detailed: { type: "boolean" } },
  required: ["location", "days", "detailed"],
  additionalProperties: false,
};
const one = { location: "San Francisco, CA", days: 3, detailed: true };
const list = { type: "object", properties: { items: { type: "array", items: flat } }, required: ["items"] };
const file = {
  type: "object",
  properties: { path: { type: "string" }, content: { type: "string" } },
  required: ["path", "content"],
};
const line = "const answer = 42; // what was asked for\n";
const cases = [
  { name: "3 members", schema: flat, value: one as unknown, calls: 2_000 },
  {
    name: "100 KB, a list of objects",
    schema: list,
    value: { items: Array.from({ length: 1_600 }, () => one) },
    calls: 3,
  },
  {
    name: "100 KB, one long text",
    schema: file,
    value: { path: "a.ts", content: line.repeat(2_400) },
    calls: 15,
  },
];

// Many short interleaved rounds, so that other load affects both sides alike and not the median.
const rounds = 301;
const strict = cases.map(({ name, schema, value, calls }) => {
  const input = JSON.stringify(value);
  const validate = new Ajv2020().compile(schema);
  const spec = specOf(schema);
  const raw = { id: "call_1", tool: "tool", input };
  const works = {
    floor: () => validate(JSON.parse(input)),
    haft: () => hydrate(raw, spec).success,
  };
  const times = { floor: [] as number[], haft: [] as number[] };
  for (let done = -100; done < rounds; done += 1) {
    for (const who of ["floor", "haft"] as const) {
      const work = works[who];
      const begin = performance.now();
      for (let count = 0; count < calls; count += 1) if (!work()) throw new Error(`${who} refuses ${name}`);
      if (done >= 0) times[who].push(((performance.now() - begin) / calls) * 1e3);
    }
  }
  const [floor, haft] = [spread(times.floor), spread(times.haft)];
  return { name, bytes: input.length, floor, haft, ratio: haft.median / floor.median };
});

const megabyte = 1_000_000;
const filled = (unit: string): string => unit.repeat(Math.floor(megabyte / unit.length));
const hostile: Record<string, string> = {
  "opening braces": filled("{"),
  "opening brackets": `{"a":${filled("[")}`,
  quotes: filled('"'),
  backslashes: filled("\\"),
  "backslashes in a text": `{"a":"${filled("\\\\")}`,
  "fences and words": filled("``` a "),
  "keys without a value": filled('{"a":'),
  "the same object again": filled('{"a":1}'),
  "the same member again": `{${filled('"a":1,')}}`,
  "commas too many": `{"a":[${filled("[1,],")}]}`,
  "single quotes": `{'a':[${filled("'b',")}]}`,
  comments: `{${filled("/**/")}}`,
  "texts in a text": `{"list":${JSON.stringify(`[${filled("1,")}]`)}}`,
  "words and colons": filled("a: "),
};
const open = { type: "object", properties: { list: { type: "array" } } };
const isValid = compileSchema(open);
const repairs = Object.entries(hostile).map(([name, text]) => {
  const given = text.slice(0, 1_048_576);
  const times: number[] = [];
  let result = repair({ text: given, schema: open, validate: isValid });
  for (let done = 0; done < 3; done += 1) {
    const begin = performance.now();
    result = repair({ text: given, schema: open, validate: isValid });
    times.push(performance.now() - begin);
  }
  const { ok, steps } = result;
  return { name, milliseconds: spread(times), steps, most: 64 * given.length + 10_000, ok };
});

/** Arguments of the given length, streamed in the given number of pieces. */
const assembled = async (length: number, pieces: number) => {
  const { collectCalls } = await import("../src/models/dialects/read-calls.ts");
  const input = JSON.stringify({ content: "x".repeat(length - 14) });
  const size = Math.ceil(input.length / pieces);
  const chunk = (call: object, finish: string | null = null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: finish }],
  });
  const named = { id: "call_1", type: "function", function: { name: "write", arguments: "" } };
  const events: unknown[] = [chunk(named)];
  for (let at = 0; at < input.length; at += size) {
    events.push(chunk({ function: { arguments: input.slice(at, at + size) } }));
  }
  events.push({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  const times: number[] = [];
  for (let done = -2; done < 7; done += 1) {
    const begin = performance.now();
    const [call] = collectCalls("openai-chat", events);
    // Reading a character forces V8 to flatten the concatenated string.
    const isWhole = call?.finish === "complete" && (call.input as string).charCodeAt(length >> 1) === 120;
    if (!isWhole || call.input !== input) throw new Error("the stream was not put together");
    if (done >= 0) times.push(performance.now() - begin);
  }
  return { length, pieces, milliseconds: spread(times) };
};
const assemblies = [await assembled(250_000, 2_500), await assembled(1_000_000, 10_000)];

if (values.json) console.log(JSON.stringify({ strict, repairs, assemblies }, null, 2));
else {
  const head = ["arguments", "bytes", "JSON.parse + ajv, µs", "hydrate, µs", "ratio"];
  const rows = strict.map((each) => [
    each.name,
    String(each.bytes),
    round(each.floor.median),
    round(each.haft.median),
    each.ratio.toFixed(2),
  ]);
  console.log(`${table([head, ...rows])}\n`);
  const texts = repairs.map((each) => [
    each.name,
    round(each.milliseconds.median),
    (each.steps / megabyte).toFixed(2),
    each.ok ? "repaired" : "refused",
  ]);
  console.log(`${table([["1 MB of", "repair, ms", "steps a character", ""], ...texts])}\n`);
  const streams = assemblies.map((each) => [
    `${each.length} characters in ${each.pieces} pieces`,
    round(each.milliseconds.median),
  ]);
  console.log(table([["openai-chat stream", "assembly, ms"], ...streams]));
}
const worst = Math.max(...strict.map(({ ratio }) => ratio));
if (values["max-ratio"] !== undefined && worst > Number(values["max-ratio"])) process.exitCode = 1;
