import { readConfig } from "../../runtime/config.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import { engines } from "../../sandbox/engines.ts";
import { type EngineName, engineNames } from "../../sandbox/sandbox.ts";
import { isStdioServer, type McpServer } from "../../types/mcp.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { type Check, isFailed } from "../doctor/check.ts";
import { checkEngine } from "../doctor/check-engine.ts";
import { checkNode, checkSqlite } from "../doctor/check-machine.ts";
import { renderTable } from "../fit-table.ts";
import { jsonLines } from "../json-option.ts";
import { configuredOptions, configuredServers } from "../mcp/configured-servers.ts";
import { readDataConfiguration } from "../read-configuration.ts";
import { readSettingsFile, resolveSettings } from "../resolve-settings.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { createTrust } from "../trust/trust.ts";

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
