import { readFile, writeFile } from "node:fs/promises";
import { agentToolName } from "../../agent/agent.ts";
import type { ExperimentResult } from "../../agent/experiments/experiment-result.ts";
import type { ExperimentInput, Measure } from "../../agent/experiments/options.ts";
import { toReportHtml } from "../../agent/experiments/report-html.ts";
import { experiment } from "../../agent/experiments/run-experiment.ts";
import type { Haft } from "../../runtime/haft.ts";
import type { Agent, Library } from "../../types/agent.ts";
import { CommandUsageError, command, exitCodes, jsonValue, readCount, type Terminal } from "../command.ts";
import { loadAgent } from "../load-agent.ts";
import { loadModule } from "../load-module.ts";
import { loadLibrary } from "../load-tools.ts";
import { openRuntime, runtimeOptions } from "../open-runtime.ts";
import { alignColumns, painter, plainText, progressBar, toJsonLine } from "../screen.ts";

export const ab = command({
  operands: "AGENT",
  options: {
    a: { type: "string", value: "FILE", about: "the library of arm a, the baseline" },
    b: { type: "string", value: "FILE", about: "the library of arm b" },
    inputs: {
      type: "string",
      short: "i",
      value: "FILE",
      about: 'JSON lines: strings, or { "id", "input", "expect" }',
    },
    runs: {
      type: "string",
      short: "n",
      value: "N",
      about: "runs of each input in each arm; default 1",
    },
    measure: {
      type: "string",
      value: "FILE",
      about: "a module that exports measure(response, input) → { success, scores }",
    },
    model: { type: "string", short: "m", value: "NAME", about: 'provider/model-id, or "offline"' },
    seed: { type: "string", value: "N", about: "seed for the order of runs and the statistics; default 1" },
    journal: {
      type: "string",
      value: "FILE",
      about: "store each run, and continue from there when started again",
    },
    report: { type: "string", value: "FILE", about: "write the result as a self-contained page" },
    json: jsonValue("the whole result"),
    ...runtimeOptions,
  },
  examples: [
    {
      line: "haft ab shop.gram --a lib-a.ts --b lib-b.ts --inputs inputs.jsonl",
      about: "which arm is faster, more accurate, or cheaper",
    },
    {
      line: "haft ab shop.gram --a lib-a.ts --b lib-b.ts -i inputs.jsonl -n 5 --journal ab.jsonl --report ab.html",
      about: "continue after Ctrl-C, and write a report",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const [file, ...more] = operands;
    const { a, b, inputs } = options;
    if (file === undefined || more.length > 0 || a === undefined || b === undefined || inputs === undefined) {
      throw new CommandUsageError(
        "haft ab requires an agent, --a and --b with a library each, and --inputs.",
      );
    }
    const loaded = await loadAgent(file, { model: options.model, library: a }, terminal);
    const arms = { a: await loadLibrary(a), b: await loadLibrary(b) };
    const runs = readCount("runs", options.runs);
    const seed = readCount("seed", options.seed);
    const asked = await readInputs(inputs);
    const judged =
      options.measure === undefined ? measureByExpectation(asked) : await loadMeasure(options.measure);
    await using opened = await openRuntime({ ...options, model: undefined }, terminal, {
      agent: loaded.agent.name,
      ledger: "configured",
    });
    const { haft } = opened;
    for (const [arm, library] of Object.entries(arms)) requireCode(arm, library, loaded.agent, haft);
    const bar = progressBar(terminal, options.json === true);
    const result = await experiment({
      agent: loaded.agent,
      arms,
      libraries: { a, b },
      inputs: asked,
      run: (agent, input, given) => haft.run(agent, input, { ...given, model: loaded.model }),
      ...(runs === undefined ? {} : { runs }),
      ...(seed === undefined ? {} : { seed }),
      ...(judged === undefined ? {} : { measure: judged }),
      ...(options.journal === undefined ? {} : { journal: options.journal }),
      onProgress: bar.show,
      signal: terminal.signal,
    }).finally(bar.end);
    if (options.report !== undefined) await writeFile(options.report, toReportHtml(result));
    if (options.json === true) terminal.out(toJsonLine(result));
    else printExperiment(result, terminal, options.report, judged !== undefined);
    return exitCodes.done;
  },
});

const measureByExpectation = (inputs: readonly (string | ExperimentInput)[]): Measure | undefined => {
  const hasExpectations = inputs.some((each) => typeof each === "object" && typeof each.expect === "string");
  if (!hasExpectations) return undefined;
  return ({ status, content }, { expect }) =>
    typeof expect === "string" ? { success: status === "done" && content.includes(expect) } : undefined;
};

const requireCode = (arm: string, library: Library, agent: Agent, haft: Haft): void => {
  const names = agent.tools.map(agentToolName).filter((name) => name !== "*");
  const missing = names.filter((name) => library.lookup(name) === undefined && haft.get(name) === undefined);
  if (missing.length > 0)
    throw new CommandUsageError(`The library of arm ${arm} has no code for ${missing.join(", ")}.`);
};

const printExperiment = (
  result: ExperimentResult,
  terminal: Terminal,
  report: string | undefined,
  hasMeasure: boolean,
): void => {
  const { bold, dim } = painter(terminal);
  terminal.out(`${bold(result.verdict)}\n\n`);
  const rows = result.comparisons.flatMap(({ differences }) =>
    differences.map(({ label, sentence }) => [`  ${label}`, sentence]),
  );
  terminal.out(`${alignColumns(rows, terminal.width)}\n`);
  const runs = result.arms.map(
    ({ label, library, runs: count, successes }) =>
      `${label}${library === undefined ? "" : ` (${plainText(library)})`}: ${successes} of ${count} ${hasMeasure ? "right" : "completed"}`,
  );
  terminal.out(
    dim(`\n${runs.join(", ")}; seed ${result.seed}${report === undefined ? "" : `; report in ${report}`}\n`),
  );
};

const loadMeasure = async (file: string): Promise<Measure> => {
  const module = await loadModule(file, "measure");
  const found = module.measure ?? module.default;
  if (typeof found === "function") return found as Measure;
  throw new CommandUsageError(`${file} does not export a function \`measure\`.`);
};

const readInputs = async (file: string): Promise<readonly (string | ExperimentInput)[]> => {
  const text = await readFile(file, "utf8").catch(() => {
    throw new CommandUsageError(`${file} cannot be read.`);
  });
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new CommandUsageError(
        `Line ${index + 1} of ${file} is not JSON. Write a string in quotes, or { "id", "input" }.`,
      );
    }
  });
};
