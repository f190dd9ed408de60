import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { nodeVersionProblem } from "../../base/platform/node-version.ts";
import { readConfig } from "../../runtime/config.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import { type EngineModule, engines } from "../../sandbox/engines.ts";
import { type EngineName, engineNames, type ProgramResult, type Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxError } from "../../types/errors.ts";
import { isStdioServer, type McpServer } from "../../types/mcp.ts";
import { CommandUsageError, command, exitCodes, jsonLines, type Terminal } from "../command.ts";
import { renderTable } from "../fit-table.ts";
import { configuredOptions, configuredServers } from "../mcp/configured-servers.ts";
import { readDataConfiguration } from "../read-configuration.ts";
import { readSettingsFile, resolveSettings } from "../resolve-settings.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { createTrust } from "../trust/trust.ts";

const neededByHaft = ["haft"];

export const checkNode = (version = process.versions.node): Check => {
  const problem = nodeVersionProblem(version);
  const check = { name: "node", neededBy: neededByHaft, version, about: "runs haft itself" };
  return problem === undefined ? { ...check, status: "works" } : { ...check, status: "broken", problem };
};

interface Check {
  readonly name: string;
  /** `missing`: not installed. `broken`: installed, but does not work. */
  readonly status: "works" | "missing" | "broken";
  /** Server ids, "haft", or "you" if the command line names the check. */
  readonly neededBy: readonly string[];
  readonly version?: string;
  readonly about: string;
  readonly startMs?: number;
  readonly problem?: string;
}

const isFailed = ({ status, neededBy }: Check): boolean => status !== "works" && neededBy.length > 0;

export const checkSqlite = async (neededBy: readonly string[]): Promise<Check> => {
  const check = { name: "sqlite", neededBy, about: "keeps a ledger in a file" };
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    const row = database.prepare("select sqlite_version() as version").get();
    database.close();
    return { ...check, status: "works", version: String(row?.version) };
  } catch (error) {
    const problem = `This Node has no SQLite (${(error as Error).message}). Use a build of Node 22.19 or newer with it, or a ledger in PostgreSQL.`;
    return { ...check, status: "broken", problem };
  }
};

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

/** Starts each engine, because an installed engine does not always work. */
export const doctor = command({
  operands: "[ENGINE]...",
  options: { ...configuredOptions, json: jsonLines("each check") },
  examples: [
    { line: "haft doctor", about: "what works on this machine, and what to install" },
    { line: "haft doctor deno --json", about: "try Deno alone, and fail unless it works" },
  ],
  run: async ({ options, operands, terminal }) => {
    const asked = operands.map(parseEngineName);
    const servers = await configuredServers(options, terminal, "data");
    const { ledger, config } = await readDataConfiguration(
      options.config,
      createTrust(options, terminal),
      terminal,
    );
    const granted = await configuredEngines(config, terminal);
    const usesSqlite = typeof ledger === "string" && ledger.startsWith("sqlite:");
    const checks: Check[] = [checkNode(), await checkSqlite(usesSqlite ? ["ledger"] : [])];
    // Parallel starts would distort the measured times.
    for (const name of asked.length === 0 ? engineNames : new Set(asked)) {
      if (terminal.signal.aborted) return exitCodes.cancelled;
      const neededBy = [
        ...(asked.includes(name) ? ["you"] : []),
        ...(granted.includes(name) ? ["code-execute"] : []),
        ...servers.filter(({ server }) => serverSandbox(server) === name).map(({ id }) => id),
      ];
      checks.push(await checkEngine(name, engines[name], neededBy));
    }
    if (options.json === true) for (const check of checks) terminal.out(toJsonLine(check));
    else printChecks(checks, terminal);
    return checks.some(isFailed) ? exitCodes.failed : exitCodes.done;
  },
});

const configuredEngines = async (
  config: HaftOptions["config"],
  terminal: Terminal,
): Promise<readonly EngineName[]> => {
  const settings = await resolveSettings(config, {}, terminal);
  if (settings === undefined) return [];
  return readConfig(typeof settings === "string" ? await readSettingsFile(settings) : settings).skills.code
    .engines;
};

const parseEngineName = (word: string): EngineName => {
  const name = engineNames.find((each) => each === word);
  if (name !== undefined) return name;
  throw new CommandUsageError(
    `There is no sandbox "${plainText(word)}". There are: ${engineNames.join(", ")}.`,
  );
};

const serverSandbox = (server: McpServer): EngineName | undefined => {
  if (!isStdioServer(server) || server.disabled === true || server.sandbox === undefined) return undefined;
  return typeof server.sandbox === "string" ? server.sandbox : server.sandbox.engine;
};

const printChecks = (checks: readonly Check[], terminal: Terminal): void => {
  const { green, red, yellow } = painter(terminal);
  const shown = (check: Check): string => {
    if (check.status === "works") return green(check.status);
    return isFailed(check) ? red(check.status) : yellow(check.status);
  };
  const name = { title: "CHECK", cell: (check: Check) => check.name };
  const status = { title: "STATUS", cell: shown };
  const version = { title: "VERSION", cell: (check: Check) => check.version ?? "" };
  const start = {
    title: "START",
    cell: ({ startMs, status }: Check) =>
      startMs === undefined || status !== "works" ? "" : `${startMs} ms`,
  };
  const neededBy = {
    title: "NEEDED BY",
    cell: (check: Check) => plainText(check.neededBy.join(", ")),
    most: 30,
  };
  const about = { title: "", cell: (check: Check) => check.about, least: 24 };
  const layouts = [
    [name, status, version, start, neededBy, about],
    [name, status, start, neededBy],
    [name, status],
  ];
  terminal.out(renderTable(layouts, checks, terminal));
  const troubled = checks.filter(({ problem }) => problem !== undefined);
  if (troubled.length > 0) terminal.out("\n");
  for (const check of troubled)
    terminal.out(
      `${isFailed(check) ? red("✗") : yellow("!")} ${check.name}: ${plainText(check.problem ?? "")}\n`,
    );
  terminal.out(
    `\n${checks.some(isFailed) ? "A required part does not work." : "All required parts work."}\n`,
  );
};
