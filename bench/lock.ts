import { parseArgs } from "node:util";
import { definitionHasher, definitionOf } from "../src/mcp/lock/definition.ts";
import { findFlagsAmong, toNeighborTools } from "../src/mcp/lock/flags/find-flags.ts";
import { launchOf } from "../src/mcp/lock/launch.ts";
import type { Lock } from "../src/mcp/lock/lock.ts";
import { createLockCheck } from "../src/mcp/lock/lock-file.ts";
import { lockServer } from "../src/mcp/lock/lock-server.ts";
import { readLock } from "../src/mcp/lock/read-lock.ts";
import { writeLock } from "../src/mcp/lock/write-lock.ts";
import type { NamedMcpServer, RemoteTool } from "../src/types/mcp.ts";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Exit code 1 when the median of a hash takes more microseconds than this. */
    "max-micros": { type: "string" },
  },
});

const words = "the name of a file or folder to look for, relative to the root that was given at start".split(
  " ",
);
const sentence = (seed: number, length: number): string =>
  `${Array.from({ length }, (_, at) => words[(seed * 7 + at * 3) % words.length]).join(" ")}.`;

/** About 1.5 KB of JSON, the mean of real tool definitions; a tenth of them is five times as large. */
const toolOf = (index: number): RemoteTool => {
  const parameters = index % 10 === 0 ? 40 : 7;
  const properties = Object.fromEntries(
    Array.from({ length: parameters }, (_, at) => [
      `parameter_${at}`,
      at % 4 === 0
        ? { type: "integer", minimum: 0, maximum: 1_000, default: at, description: sentence(at, 12) }
        : at % 4 === 1
          ? { type: "string", enum: ["first", "second", "third"], description: sentence(at, 10) }
          : { type: "array", items: { type: "string" }, description: sentence(at, 16) },
    ]),
  );
  return {
    name: `tool_${index}`,
    title: `Tool ${index}`,
    description: [sentence(index, 14), sentence(index + 1, 18)].join(" "),
    inputSchema: { type: "object", properties, required: ["parameter_0"], additionalProperties: false },
    annotations: { readOnlyHint: index % 2 === 0, destructiveHint: false },
  };
};

const count = 300;
const server: NamedMcpServer = {
  id: "bench",
  command: "npx",
  args: ["-y", "some-server@1.2.3", "--root", "/data"],
  env: { SERVER_KEY: "x" },
};
const tools = Array.from({ length: count }, (_, index) => toolOf(index));
const names = tools.map(({ name }) => name);
const bytes = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0) / count;
const lock: Lock = { lockVersion: 1, servers: { bench: lockServer(server, undefined, tools) } };
const text = writeLock(lock);
const [judge, unlocked] = [createLockCheck(lock), createLockCheck(undefined)];

const works: Readonly<Record<string, () => void>> = {
  hash: () => {
    const hash = definitionHasher(server.id, launchOf(server));
    for (const tool of tools) hash(definitionOf(tool.name, tool));
  },
  flags: () => {
    const neighbors = toNeighborTools(names, names);
    for (const tool of tools) findFlagsAmong(tool, neighbors);
  },
  "judge a list by its lock": () => void judge(server, tools),
  "judge a list without a lock": () => void unlocked(server, tools),
  "read a lock": () => void readLock(text),
  "write a lock": () => void writeLock(lock),
};

const rounds = 25;
const time = (work: () => void): readonly number[] => {
  const times: number[] = [];
  for (let done = -10; done < rounds; done += 1) {
    const begin = performance.now();
    work();
    if (done >= 0) times.push(((performance.now() - begin) * 1e3) / count);
  }
  return times;
};

const results = Object.entries(works).map(([name, work]) => ({ name, micros: spread(time(work)) }));
if (values.json) console.log(JSON.stringify({ definitions: count, bytes, results }, null, 2));
else {
  const head = [`${count} definitions of ${round(bytes)} bytes; for each`, "µs", "least", "most"];
  const rows = results.map(({ name, micros }) => [
    name,
    round(micros.median),
    round(micros.min),
    round(micros.max),
  ]);
  console.log(table([head, ...rows]));
}
const [hash] = results;
if (values["max-micros"] !== undefined && hash!.micros.median > Number(values["max-micros"]))
  process.exitCode = 1;
