import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Effect } from "effect";
import { findDeno } from "../../../../src/sandbox/deno/deno-start.ts";
import type { ProgramResult } from "../../../../src/sandbox/sandbox.ts";
import { readFrames } from "./frames.ts";
import { guestSource } from "./guest-source.ts";
import type { OpenEngine } from "./open-engine.ts";

/**
 * A child process with the host's environment and rights that writes lines of JSON to its standard output.
 */
const childEngine =
  (command: () => readonly string[]): OpenEngine =>
  async (program) => {
    const cwd = mkdtempSync(join(tmpdir(), "open-"));
    const result = await readFrames(program, (onFrame, onEnd) => {
      const [file, ...args] = command();
      const child = spawn(file!, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
      child.stdin.on("error", () => {});
      createInterface({ input: child.stdout }).on("line", onFrame).on("close", onEnd);
      return {
        say: (text) => void child.stdin.write(`${text}\n`),
        end: () => void child.kill("SIGKILL"),
      };
    });
    return { ...result, files: filesIn(cwd) };
  };

/** All files that were left, including symlink targets. */
const filesIn = (folder: string): ProgramResult["files"] =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !statSync(join(folder, name)).isDirectory())
      .map((name) => [name, readFileSync(join(folder, name))]),
  );

const lineGuest = `
let onText;
const setListener = (listener) => { onText = listener; };
const { stdin, stdout } = process;
const say = (text) => stdout.write(text + "\\n");
${guestSource}
readline.createInterface({ input: stdin }).on("line", (text) => {
  if (onText) onText(text);
  else startProgram(JSON.parse(text));
});
`;

export const nodeEngine = childEngine(() => [
  process.execPath,
  "--no-warnings",
  "-e",
  `const readline = require("node:readline");${lineGuest}`,
]);

export const denoEngine = childEngine(() => {
  const { deno } = Effect.runSync(findDeno({ withoutSystemLimits: true }));
  const source = `import process from "node:process"; import readline from "node:readline";${lineGuest}`;
  const flags = ["-A", "--no-lock", "--quiet", "--unstable-worker-options"];
  return [deno, "run", ...flags, `data:text/javascript,${encodeURIComponent(source)}`];
});

const pythonGuest = `
import ast, json, sys
order = json.loads(sys.stdin.readline())
say = lambda frame: print(json.dumps(frame), flush=True)
tree = ast.parse(order["source"])
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
space = {"__name__": "__main__", "input": order["input"]}
real = sys.stdout
class Log:
    def write(self, text):
        if text.strip():
            real.write(json.dumps({"kind": "log", "text": text}) + "\\n")
    def flush(self):
        real.flush()
try:
    sys.stdout = Log()
    exec(compile(tree, "program.py", "exec"), space)
    value = None if last is None else eval(compile(ast.Expression(last.value), "program.py", "eval"), space)
    sys.stdout = real
    say({"kind": "value", "value": value})
except BaseException as error:
    sys.stdout = real
    say({"kind": "error", "name": type(error).__name__, "message": str(error)})
`;

export const pythonEngine = childEngine(() => ["/usr/bin/python3", "-c", pythonGuest]);

const pyodideGuest = `
const readline = require("node:readline");
readline.createInterface({ input: process.stdin }).once("line", async (text) => {
  const say = (frame) => process.stdout.write(JSON.stringify(frame) + "\\n");
  const order = JSON.parse(text);
  const { loadPyodide } = await import(process.argv[1]);
  const python = await loadPyodide();
  python.setStdout({ batched: (line) => say({ kind: "log", text: line }) });
  python.globals.set("input", python.toPy(order.input));
  try {
    const value = await python.runPythonAsync(order.source);
    say({ kind: "value", value: value?.toJs ? value.toJs({ dict_converter: Object.fromEntries }) : value });
  } catch (error) {
    say({ kind: "error", name: "PythonError", message: String(error.message) });
  }
});
`;

/** Pyodide without isolation, for attacks through its JavaScript. */
export const pyodideEngine = childEngine(() => {
  const folder = dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
  return [process.execPath, "--no-warnings", "-e", pyodideGuest, join(folder, "pyodide.mjs")];
});
