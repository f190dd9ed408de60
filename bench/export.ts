import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import type { FirstExport } from "./export/measure.ts";
import { round, spread, table } from "./numbers.ts";

const run = promisify(execFile);
const measure = fileURLToPath(new URL("./export/measure.ts", import.meta.url));
const formats = ["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"];

const { values } = parseArgs({
  options: {
    tools: { type: "string", default: "1000" },
    rounds: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
  },
});

/** A process for each, so that no code is warm and nothing is remembered. */
const firstExport = async (format: string): Promise<number> => {
  const { stdout } = await run(process.execPath, [measure, format, values.tools], { timeout: 300_000 });
  return (JSON.parse(stdout) as FirstExport).milliseconds;
};

const samples = new Map<string, number[]>(formats.map((format) => [format, []]));
// Formats take turns, so that a busy moment of the machine is not the fault of one of them.
for (let round = 0; round < Number(values.rounds); round++) {
  for (const format of formats) samples.get(format)!.push(await firstExport(format));
}

const results = [...samples].map(([format, each]) => ({ format, ...spread(each) }));
if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const rows = results.map(({ format, median, min, max }) => [format, ...[median, min, max].map(round)]);
  console.log(table([[`first export of ${values.tools} tools, ms`, "median", "least", "most"], ...rows]));
}
