import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { round, type Spread, spread, table, withRange } from "./numbers.ts";
import { bytesOf, type InstallSize, installSize } from "./start/install-size.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    /** Exit code 1 when a target is missed. */
    check: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const bench = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("..", import.meta.url));
const meter = join(bench, "start/cpu-meter.cjs");
const haft = join(root, "dist/cli/main.js");
const empty = mkdtempSync(join(tmpdir(), "haft-start-"));

interface Case {
  readonly name: string;
  readonly words: readonly string[];
  readonly cwd: string;
  /** Measured until it answers `initialize` on standard output; otherwise until it ends. */
  readonly answers?: boolean;
}

const importing = (what: string): Pick<Case, "words" | "cwd"> => ({
  words: ["--input-type=module", "-e", `await import(${JSON.stringify(what)})`],
  cwd: bench,
});
const everything = join(bench, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

const cases = {
  node: { name: "node -e 0", words: ["-e", "0"], cwd: empty },
  haft: { name: 'import("haft")', ...importing(pathToFileURL(join(root, "dist/index.js")).href) },
  ai: { name: 'import("ai")', ...importing("ai") },
  langchain: { name: 'import("@langchain/core/tools")', ...importing("@langchain/core/tools") },
  help: { name: "haft --help", words: [haft, "--help"], cwd: empty },
  serve: {
    name: "haft serve, until it answers initialize",
    words: [haft, "serve"],
    cwd: empty,
    answers: true,
  },
  everything: {
    name: "server-everything, until it answers initialize",
    words: [everything, "stdio"],
    cwd: empty,
    answers: true,
  },
} satisfies Readonly<Record<string, Case>>;
type CaseId = keyof typeof cases;
const ids = Object.keys(cases) as readonly CaseId[];

/** Maximum ratio of processor times. */
const goals: readonly { readonly of: CaseId; readonly than: CaseId; readonly most: number }[] = [
  { of: "haft", than: "ai", most: 1 },
  { of: "help", than: "node", most: 5 },
  { of: "serve", than: "everything", most: 1.3 },
];

const initialize = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
})}\n`;

/** Processor time of one fresh process, in milliseconds. */
const take = ({ name, words, cwd, answers = false }: Case): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--require", meter, ...words], {
      cwd,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      env: { ...process.env, HAFT_BENCH_UNTIL: answers ? "output" : "end" },
    });
    const [reported, out, error] = [child.stdio[3] as Readable, child.stdout, child.stderr].map(textOf);
    if (answers) child.stdin.write(initialize);
    else child.stdin.end();
    child.stdout.once("data", () => answers && child.kill());
    child.once("close", () => {
      const cpu = Number(reported!());
      const isRight = !answers || JSON.parse(out!().split("\n")[0] || "{}").result?.serverInfo !== undefined;
      if (cpu > 0 && isRight) resolve(cpu / 1000);
      else reject(new Error(`${name} did not run: ${error!() || out!()}`));
    });
  });

const textOf = (stream: Readable): (() => string) => {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
};

const samples = new Map<CaseId, number[]>(ids.map((id) => [id, []]));
const rounds = Number(values.rounds);
try {
  // One warm-up round for the disk cache, then interleaved rounds.
  for (let done = -1; done < rounds; done += 1) {
    if (process.stderr.isTTY) process.stderr.write(`round ${done + 1} of ${rounds}\n`);
    for (const id of ids) {
      const cpu = await take(cases[id]);
      if (done >= 0) samples.get(id)!.push(cpu);
    }
  }
} finally {
  rmSync(empty, { recursive: true, force: true });
}

const cpu = Object.fromEntries(ids.map((id) => [id, spread(samples.get(id)!)])) as Record<CaseId, Spread>;
const ratios = goals.map(({ of, than, most }) => ({
  of: cases[of].name,
  than: cases[than].name,
  ratio: cpu[of].median / cpu[than].median,
  most,
}));

const versionOf = (folder: string): string =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;
const packed = JSON.parse(
  execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
  }),
);
const [{ unpackedSize }] = Object.values<{ readonly unpackedSize: number }>(packed) as [
  { readonly unpackedSize: number },
];
const rivals = ["ai", "@langchain/core", "@openai/agents", "@mastra/core", "langchain"];
const installs = [
  { name: "haft", version: versionOf(root), ...installSize(root, unpackedSize) },
  ...rivals.map((name): InstallSize & { readonly name: string; readonly version: string } => {
    const folder = join(root, "node_modules", name);
    return { name, version: versionOf(folder), ...installSize(folder, bytesOf(folder)) };
  }),
];

const machine = {
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  load: loadavg()[0],
};
if (values.json) console.log(JSON.stringify({ machine, rounds, cpu, ratios, installs }, null, 2));
else {
  const rows = ids.map((id) => [
    cases[id].name,
    withRange(cpu[id]),
    round(cpu[id].median / cpu.node.median),
    round(cpu[id].median / cpu.ai.median),
  ]);
  console.log(table([["processor time, ms", "median (min–max)", "× node -e 0", "× ai"], ...rows]));
  console.log();
  const asked = ratios.map(({ of, than, ratio, most }) => [
    `${of} against ${than}`,
    ratio.toFixed(2),
    String(most),
  ]);
  console.log(table([["ratio of medians", "", "at most"], ...asked]));
  console.log();
  const sizes = installs.map(({ name, version, bytes, packages }) => [
    `${name} ${version}`,
    round(bytes / 1e6),
    String(packages),
  ]);
  console.log(table([["installed, with what it needs", "MB", "packages"], ...sizes]));
  console.log(
    `\n${rounds} rounds, a fresh process each; node ${machine.node}, ${machine.cores} cores, load ${machine.load?.toFixed(1)}`,
  );
}
const missed = ratios.filter(({ ratio, most }) => ratio > most);
if (values.check && missed.length > 0) process.exitCode = 1;
