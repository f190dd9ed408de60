import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { EngineModule } from "../../sandbox/engines.ts";
import type { EngineName, ProgramResult, Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxError } from "../../types/errors.ts";
import type { Check } from "./check.ts";

/** The probes try to read a file outside of the sandbox. */
const probePrograms = {
  javascript: `
    const escapes = [];
    for (const read of [
      () => Deno.readTextFileSync(input),
      () => process.getBuiltinModule("node:fs").readFileSync(input),
      () => Function("return process")().mainModule.require("fs").readFileSync(input),
      () => require("fs").readFileSync(input),
    ]) try { read(); escapes.push("read a file outside") } catch {}
    return { sum: [1, 2, 3].reduce((a, b) => a + b), escapes, version: typeof Deno === "object" ? Deno.version.deno : null };`,
  python: `
import sys
escapes = []
def read_file():
    open(input).read()
def read_through_js():
    import js
    js.Deno.readTextFileSync(input)
for read in (read_file, read_through_js):
    try:
        read()
        escapes.append("read a file outside")
    except BaseException:
        pass
{"sum": sum([1, 2, 3]), "escapes": escapes, "version": sys.version.split()[0]}`,
} as const;

const engineDescriptions: Readonly<Record<EngineName, string>> = {
  quickjs: "runs JavaScript and TypeScript, also code that calls tools",
  deno: "runs JavaScript and TypeScript at full speed",
  pyodide: "runs Python, installed with npm only",
  bubblewrap: 'runs Python and commands, and MCP servers with sandbox: "bubblewrap"',
};

export const checkEngine = async (
  name: EngineName,
  load: () => Promise<EngineModule>,
  neededBy: readonly string[],
): Promise<Check> => {
  const check = { name, neededBy, about: engineDescriptions[name] };
  const folder = await mkdtemp(join(tmpdir(), "haft-doctor-"));
  try {
    const canary = join(folder, "canary");
    await writeFile(canary, "outside");
    const { openEngine } = await load();
    const startedAt = performance.now();
    const result = await Effect.runPromise(
      Effect.scoped(Effect.flatMap(openEngine(), (box) => runProbe(box, canary))),
    );
    return { ...check, ...probeStatus(result), startMs: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { ...check, status: "missing", problem: (error as Error).message };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const runProbe = (box: Sandbox, canary: string): Effect.Effect<ProgramResult, SandboxError> => {
  const language = box.languages.includes("python") ? "python" : "javascript";
  return box.run({ language, source: probePrograms[language], input: canary });
};

const probeStatus = ({ ending }: ProgramResult): Pick<Check, "status" | "version" | "problem"> => {
  if (ending.kind !== "value") return brokenStatus(ending.message);
  const { sum, escapes, version } = (ending.value ?? {}) as Readonly<Record<string, unknown>>;
  if (sum !== 6 || !Array.isArray(escapes)) return brokenStatus("its test program returned a wrong value");
  if (escapes.length > 0) return brokenStatus(`a test program ${escapes.join(" and ")}`);
  return { status: "works", ...(typeof version === "string" ? { version } : {}) };
};

const brokenStatus = (what: string): Pick<Check, "status" | "problem"> => ({
  status: "broken",
  problem: `It is not reliable on this machine: ${what.replace(/\.$/, "")}.`,
});
