import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import type { FirstExport } from "./export/measure.ts";
import { spread, table, withRange } from "./numbers.ts";

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
const firstExport = async (format: string, kind: string): Promise<FirstExport> => {
  const words = [measure, format, values.tools, kind];
  const { stdout } = await run(process.execPath, words, { timeout: 300_000 });
  return JSON.parse(stdout) as FirstExport;
};

const kinds = ["plain", "mixed"];
const cases = kinds.flatMap((kind) =>
  formats.map((format) => ({ kind, format, samples: [] as FirstExport[] })),
);
// They take turns, so that a busy moment of the machine is not the fault of one of them.
for (let turn = 0; turn < Number(values.rounds); turn++) {
  for (const { kind, format, samples } of cases) samples.push(await firstExport(format, kind));
}

const results = cases.map(({ kind, format, samples }) => ({
  kind,
  format,
  milliseconds: spread(samples.map((each) => each.milliseconds)),
  processorMilliseconds: spread(samples.map((each) => each.processorMilliseconds)),
}));
if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const cell = (kind: string, format: string): readonly string[] => {
    const found = results.find((each) => each.kind === kind && each.format === format)!;
    return [found.processorMilliseconds, found.milliseconds].map(withRange);
  };
  const rows = formats.map((format) => [format, ...kinds.flatMap((kind) => cell(kind, format))]);
  const heads = kinds.flatMap((kind) => [`${kind}, processor`, `${kind}, clock`]);
  console.log(`first export of ${values.tools} tools in a fresh process, ms: median (least–most)`);
  console.log(table([["format", ...heads], ...rows]));
}
