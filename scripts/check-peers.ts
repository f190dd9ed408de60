import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { entryPeers, type PeerCase, type PeerVerdict, peerCases } from "./check-peers/peer-cases.ts";
import { readFlags } from "./flags.ts";

const flags = readFlags({
  "--json": "print the results as JSON",
  "--no-build": "pack dist as it is",
});
const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "haft-peers-"));
const stop = new AbortController();

const cleanUp = (): void => rmSync(work, { recursive: true, force: true, maxRetries: 5 });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stop.abort();
    cleanUp();
    process.exit(130);
  });
}

const log = (text: string): void => console.error(`check:peers: ${text}`);

interface CommandResult {
  readonly code: number;
  readonly output: string;
}

const run = (command: string, words: readonly string[], cwd: string): Promise<CommandResult> =>
  new Promise((resolve) => {
    const options = { cwd, signal: stop.signal, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, [...words], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: code === 0 ? stdout : `${stdout}${stderr}` });
    });
  });

const npm = (words: readonly string[], cwd: string): Promise<CommandResult> =>
  run("npm", [...words, "--no-audit", "--no-fund", "--loglevel=error"], cwd);

interface EntryResult {
  readonly verdict: PeerVerdict;
  readonly message: string;
}

interface PeerCaseResult {
  readonly name: string;
  /** Exit code of `npm install haft` in a project with the packages. */
  readonly exitCode: number;
  readonly effectCopies: number;
  readonly packages: number;
  readonly entryPoints: Readonly<Record<string, EntryResult>>;
  readonly problems: readonly string[];
}

const packHaft = async (): Promise<string> => {
  if (!flags.has("--no-build")) {
    log("building");
    const { code, output } = await run("npm", ["run", "build"], root);
    if (code !== 0) throw new Error(`the build failed:\n${output}`);
  }
  const { code, output } = await npm(["pack", root, "--ignore-scripts"], work);
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
  const [tarball] = readdirSync(work).filter((file) => file.endsWith(".tgz"));
  return join(work, tarball!);
};

/** Haft's own error names the package; any other error comes from the integration, such as a closed port. */
const toPeerVerdict = (code: unknown, message: string, peer: string | undefined): PeerVerdict | undefined => {
  if (message === "") return "loads";
  const isOurs = code === "invalid_config" && peer !== undefined && message.includes(`the package ${peer}`);
  if (isOurs && message.includes("is not installed")) return "missing";
  if (isOurs && message.includes("is installed")) return "unsupported";
  return String(code).startsWith("ERR_") ? undefined : "loads";
};

const tryCase = async ({ name, packages, expected }: PeerCase, tarball: string): Promise<PeerCaseResult> => {
  const folder = join(work, name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "peers", private: true, type: "module" }),
  );
  const problems: string[] = [];
  if (packages.length > 0) {
    const { code, output } = await npm(["install", ...packages], folder);
    if (code !== 0) problems.push(`npm install ${packages.join(" ")} failed: ${output.slice(0, 500)}`);
  }
  const { code: exitCode, output } = await npm(["install", tarball], folder);
  if (exitCode !== 0) problems.push(`npm install haft failed: ${output.slice(0, 500)}`);
  const lines = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await npm(["ls", ...words, "--all", "--parseable"], folder)).output
      .split("\n")
      .filter((line) => line !== "");
  const copies = new Set(
    (await lines("effect")).filter((path) => /[/\\]effect$/.test(path)).map((path) => realpathSync(path)),
  );
  if (copies.size !== 1) problems.push(`${copies.size} copies of effect`);

  copyFileSync(new URL("check-peers/probe.mjs", import.meta.url), join(folder, "probe.mjs"));
  const probe = await run(process.execPath, ["probe.mjs", ...Object.keys(entryPeers)], folder);
  const said: Record<string, { readonly code?: unknown; readonly message: string }> =
    probe.code === 0 ? JSON.parse(probe.output) : {};
  if (probe.code !== 0) problems.push(`the probe failed: ${probe.output.slice(0, 500)}`);
  const entryPoints = Object.entries(said).map(([entryPoint, { code, message }]) => {
    const peer = entryPeers[entryPoint];
    const verdict = toPeerVerdict(code, message, peer);
    const wanted = expected[entryPoint] ?? (peer === undefined ? "loads" : "missing");
    if (verdict !== wanted)
      problems.push(`${entryPoint}: expected "${wanted}", got ${verdict ?? `${code} ${message}`}`);
    const ours = verdict === "loads" ? "" : message;
    return [entryPoint, { verdict: verdict ?? "missing", message: ours }] as const;
  });
  return {
    name,
    exitCode,
    effectCopies: copies.size,
    packages: (await lines()).length - 1,
    entryPoints: Object.fromEntries(entryPoints),
    problems,
  };
};

const printCase = ({
  name,
  exitCode,
  effectCopies,
  packages,
  entryPoints,
  problems,
}: PeerCaseResult): void => {
  console.log(
    `\n## ${name}: npm install ended with ${exitCode}, ${packages} packages, effect ×${effectCopies}\n`,
  );
  console.log("| entry point | verdict | message |\n|---|---|---|");
  for (const [entryPoint, { verdict, message }] of Object.entries(entryPoints))
    console.log(`| ${entryPoint} | ${verdict} | ${message} |`);
  for (const problem of problems) console.log(`\nWRONG: ${problem}`);
};

try {
  const tarball = await packHaft();
  const results: PeerCaseResult[] = [];
  for (const [at, each] of peerCases.entries()) {
    log(`${at + 1} of ${peerCases.length}: ${each.name}`);
    const result = await tryCase(each, tarball);
    results.push(result);
    if (!flags.has("--json")) printCase(result);
  }
  if (flags.has("--json")) console.log(JSON.stringify(results, null, 2));
  const wrong = results.flatMap(({ problems }) => problems).length;
  log(wrong === 0 ? "every expectation is met" : `${wrong} expectations are not met`);
  if (wrong > 0) process.exitCode = 1;
} finally {
  cleanUp();
}
