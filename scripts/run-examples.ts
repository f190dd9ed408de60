import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { readFlags } from "./flags.ts";
import { installSystemPackages, systemEnvironment } from "./system-packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Timeout for an example that hangs, also on a slow machine. */
const timeLimitMs = 600_000;

interface ExampleResult {
  readonly ok: boolean;
  readonly how: string;
  readonly output: string;
}

/** Node strips types but does not run decorators: such examples are compiled and passed on standard input. */
const compiledPath = async (file: string): Promise<string | undefined> => {
  if (!/^\s*@\w/m.test(readFileSync(join(root, file), "utf8"))) return undefined;
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node22",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text;
};

/** A program on standard input runs in the root, so that it resolves `haft` like a file. */
const run = (file: string, code: string | undefined): Promise<ExampleResult> =>
  new Promise((resolve) => {
    const program = code === undefined ? [file] : ["--input-type=module", "-"];
    const child = spawn(process.execPath, program, { cwd: root, stdio: "pipe", env: systemEnvironment() });
    // The exit code explains a child that ends before it has read all input.
    child.stdin.on("error", () => {});
    child.stdin.end(code);
    let output = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
      // Other processes of the example may still hold its pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeLimitMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      // An example shows a correct policy, so the check must report no warnings.
      const isWarned = /(?:HaftWarning|WARN [^\n]*): Policy: /.test(output);
      const how = late
        ? `stopped after ${timeLimitMs / 1000} s`
        : isWarned
          ? "ended with a warning about its policy"
          : `ended with ${signal ?? `code ${code}`}`;
      resolve({ ok: code === 0 && !isWarned, how, output });
    });
  });

// Examples import `haft` as users do: by name, through the exports of package.json.
if (!existsSync(join(root, "dist", "index.js"))) {
  console.error("examples run against the built package: run npm run build first");
  process.exit(1);
}

readFlags({});
// Some examples need PostgreSQL, a browser, Deno or Pyodide.
installSystemPackages();
const wanted = process.argv.slice(2);
const exampleRuns = readdirSync(join(root, "examples"))
  .filter((name) => existsSync(join(root, "examples", name, "main.ts")))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  .sort();

/** Runs one example, and prints its result at once, so that parallel output is not mixed. */
const printExampleResult = async (story: string): Promise<boolean> => {
  const begin = performance.now();
  const file = join("examples", story, "main.ts");
  const { ok, how, output } = await compiledPath(file).then(
    (code) => run(file, code),
    (error): ExampleResult => ({ ok: false, how: "cannot be compiled", output: String(error) }),
  );
  const took = `${Math.round(performance.now() - begin)} ms`;
  console.log(ok ? `ok    ${story} (${took})` : `wrong ${story} ${how} (${took})\n${output.trimEnd()}`);
  return ok;
};

let failed = 0;
const runsInOrder = exampleRuns.values();
/** Examples mostly wait for processes and servers, so several run in parallel. */
const runNext = async (): Promise<void> => {
  for (const story of runsInOrder) if (!(await printExampleResult(story))) failed += 1;
};
await Promise.all(Array.from({ length: availableParallelism() }, runNext));
console.log(`examples: ${exampleRuns.length - failed} ran, ${failed} failed`);
if (failed > 0 || exampleRuns.length === 0) process.exitCode = 1;
