import { PerformanceObserver } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { readGram } from "../src/tools/gram/read-gram.ts";
import { writeGram } from "../src/tools/gram/write-gram.ts";
import { round, spread, table, withRange } from "./numbers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "7" },
    /** Fails when reading 1 MB takes longer. */
    "max-ms": { type: "string" },
  },
});
const rounds = Number(values.rounds);

const fence = "```";
const part = (index: number): string => `// Agent ${index} greets people in the language they speak.
[agent${index}:Agent {description: "Greets people", model: "OpenAI/gpt-4o-mini", tags: [a, "b c", 12.5, 1..9], instruction: ${fence}
Say hello, \`kindly\`, and never twice.
${fence}} |
  [sayHello${index}:Tool {description: "Says hello to one person"} |
    (personName::String {default: "world"})==>(times::Integer {minimum: 1, maximum: 5kg})==>(::String)
  ], // the usual one
  tool${index}
]
@@note${index}:Source @since(date\`2024-01-15\`) (a${index}:Person {age: 33})-[:KNOWS {since: 2001}]->(b${index})<--(c)
`;

const documentOf = (megabytes: number): string => {
  const parts: string[] = [];
  for (let length = 0; length < megabytes * 1e6; )
    length += parts[parts.push(part(parts.length)) - 1]!.length;
  return parts.join("");
};

const timed = <T>(run: () => T): readonly [T, number] => {
  const begin = performance.now();
  const result = run();
  return [result, performance.now() - begin];
};

// Garbage collection depends on the heap size, so it is reported separately.
let collected = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) collected += entry.duration;
}).observe({ entryTypes: ["gc"] });

const measure = async (megabytes: number, times: number) => {
  const text = documentOf(megabytes);
  const samples = {
    read: [] as number[],
    own: [] as number[],
    write: [] as number[],
    pretty: [] as number[],
  };
  for (let done = -Math.min(times, 3); done < times; done += 1) {
    await pause(10);
    collected = 0;
    const [reading, read] = timed(() => readGram(text));
    await pause(10);
    const own = Math.max(read - collected, 0);
    if (!reading.ok) throw new Error(reading.diagnostics[0]?.message);
    const [, write] = timed(() => writeGram(reading.document));
    const [, pretty] = timed(() => writeGram(reading.document, { pretty: true }));
    if (done < 0) continue;
    samples.read.push(read);
    samples.own.push(own);
    samples.write.push(write);
    samples.pretty.push(pretty);
  }
  const { read, own, write, pretty } = samples;
  return { megabytes, read: spread(read), own: spread(own), write: spread(write), pretty: spread(pretty) };
};

const [, cold] = timed(() => readGram(documentOf(1)));
const sizes: Awaited<ReturnType<typeof measure>>[] = [];
for (const megabytes of [1, 2, 5, 10, 20]) sizes.push(await measure(megabytes, megabytes > 4 ? 5 : rounds));
const ratios = sizes.map(({ megabytes, read, own }) => ({
  read: read.median / megabytes / sizes[0]!.read.median,
  own: own.median / megabytes / sizes[0]!.own.median,
}));

const deep = [1_000, 1_000_000, 10_000_000].map((levels) => {
  const text = "[|".repeat(levels);
  const [reading, milliseconds] = timed(() => readGram(text));
  return { levels, milliseconds, says: reading.ok ? "read" : reading.diagnostics[0]!.code };
});

if (values.json) console.log(JSON.stringify({ cold, sizes, ratios, deep }, null, 2));
else {
  const rows = sizes.map(({ megabytes, read, own, write, pretty }, index) => [
    `${megabytes} MB`,
    withRange(read),
    round(ratios[index]!.read),
    withRange(own),
    round(ratios[index]!.own),
    withRange(write),
    withRange(pretty),
  ]);
  const head = [
    "document",
    "read, ms",
    "per MB, to 1 MB",
    "without gc, ms",
    "per MB, to 1 MB",
    "write, ms",
    "pretty, ms",
  ];
  console.log(table([head, ...rows]));
  console.log(`\nthe very first read of 1 MB: ${round(cold)} ms\n`);
  const nested = deep.map(({ levels, milliseconds, says }) => [
    levels.toLocaleString("en-US"),
    round(milliseconds),
    says,
  ]);
  console.log(table([["nested brackets", "ms", "answer"], ...nested]));
}

const limit = values["max-ms"] === undefined ? undefined : Number(values["max-ms"]);
if (limit !== undefined && sizes[0]!.read.median > limit) {
  console.error(`reading 1 MB took ${round(sizes[0]!.read.median)} ms, more than ${limit}`);
  process.exitCode = 1;
}
