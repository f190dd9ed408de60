import { parseArgs } from "node:util";
import { agent } from "../src/agent/agent.ts";
import { findValue, foldedTextOf } from "../src/policy/lineage/find-value.ts";
import type { PolicyOptions } from "../src/policy/options.ts";
import { Haft } from "../src/runtime/haft.ts";
import { calls, says, scriptedModel } from "../src/testing/scripted-model.ts";
import { tool } from "../src/tools/tool.ts";
import { round, spread, table } from "./numbers.ts";

const help = `What the tracing of argument values costs.

  npm run bench:lineage [-- --json]

A run reads a text of 20 KB and then makes a turn of eight calls, with the guard against prompt injection off and in
mode lineage, interleaved. The second table searches 5 MB of results for the targets of one call.`;

const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

const text = { type: "string" } as const;
const wordsOf = (length: number): string =>
  Array.from({ length: Math.ceil(length / 10) }, (_, index) => `word${index % 97_000}`).join(" ");

const open = (policy: PolicyOptions) => {
  const page = wordsOf(20_000);
  return Haft.open({
    tools: [
      tool({
        name: "read",
        description: "Reads",
        input: { type: "object", properties: {} },
        annotations: { readOnly: true, untrusted: true },
        run: () => page,
      }),
      tool({
        name: "send",
        description: "Sends",
        input: { type: "object", properties: { to: text, body: text } },
        annotations: { sink: true },
        run: () => "sent",
      }),
      tool({
        name: "count",
        description: "Counts",
        input: { type: "object", properties: { to: text, body: text } },
        annotations: { readOnly: true },
        run: () => "counted",
      }),
    ],
    principal: { agent: "bench", allow: ["*"] },
    policy,
  });
};

const runs = 200;
const measureRuns = async (haft: Haft, name: string): Promise<number> => {
  const turn = calls(
    ...Array.from(
      { length: 8 },
      (_, index) => [name, { to: `user${index}@own.example`, body: "Hello there." }] as const,
    ),
  );
  const request = `Read the page and write to ${Array.from({ length: 8 }, (_, index) => `user${index}@own.example`).join(", ")}.`;
  const begin = performance.now();
  for (let made = 0; made < runs; made += 1) {
    const model = scriptedModel([calls(["read", {}]), turn, says("Done.")]);
    const clerk = agent({ name: "bench", instructions: "Work.", model, tools: ["*"] });
    const { toolsUsed } = await haft.run(clerk, request);
    if (!toolsUsed.every(({ ok }) => ok)) throw new Error("A call was refused.");
  }
  return ((performance.now() - begin) / runs) * 1_000;
};

const modes = {
  off: { approveTaintedSinks: false },
  lineage: { injection: { mode: "lineage" } },
} as const satisfies Record<string, PolicyOptions>;

const main = async (): Promise<void> => {
  const runtimes = await Promise.all(
    Object.entries(modes).map(async ([mode, policy]) => ({ mode, haft: await open(policy) })),
  );
  const times = new Map<string, number[]>();
  for (let done = -3; done < 11; done += 1) {
    for (const name of ["send", "count"]) {
      for (const { mode, haft } of runtimes) {
        const took = await measureRuns(haft as unknown as Haft, name);
        if (done >= 0) times.set(`${name} ${mode}`, [...(times.get(`${name} ${mode}`) ?? []), took]);
      }
    }
  }
  for (const { haft } of runtimes) await haft.close();
  const medianOf = (key: string): number => spread(times.get(key)!).median;
  const turns = ["send", "count"].map((name) => ({
    calls: name === "send" ? "eight calls of a sink" : "eight calls of a tool that reads",
    off: medianOf(`${name} off`),
    lineage: medianOf(`${name} lineage`),
    ratio: medianOf(`${name} lineage`) / medianOf(`${name} off`),
  }));

  const results = Array.from({ length: 50 }, (_, index) => ({ text: `${index} ${wordsOf(100_000)}` }));
  const search = (): number => {
    const begin = performance.now();
    for (const result of results) findValue(foldedTextOf(result), "nobody@else.example");
    return performance.now() - begin;
  };
  const first = search();
  const later = spread(Array.from({ length: 20 }, search)).median;

  if (values.json) {
    console.log(JSON.stringify({ turns, searchMs: { first, later } }, null, 2));
    return;
  }
  console.log(
    table([
      ["a run, µs: median of 11", "off", "lineage", "ratio"],
      ...turns.map((each) => [each.calls, round(each.off), round(each.lineage), round(each.ratio)]),
    ]),
  );
  console.log(
    table([
      ["one value in 5 MB of results, ms", ""],
      ["first call, folds the texts", round(first)],
      ["later calls", round(later)],
    ]),
  );
};

await main();
