import type { DiscoveredServer } from "../../mcp/discovery/discovered-server.ts";
import { isStdioServer } from "../../types/mcp.ts";
import type { Terminal } from "../command.ts";
import { type Column, renderTable, type TableLayout } from "../fit-table.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import { serverTransport } from "./describe-server.ts";

/** Contains no values of variables and headers. */
export const discoveredToJson = ({ id, from, config, problems, shown, needsInput }: DiscoveredServer) => ({
  id,
  ...from,
  transport: config === undefined ? null : serverTransport(config),
  shown,
  ...(config === undefined || isStdioServer(config) ? {} : { headers: Object.keys(config.headers ?? {}) }),
  ...(config !== undefined && isStdioServer(config) ? { env: Object.keys(config.env ?? {}) } : {}),
  needsInput,
  problems,
});

const discoveredLayouts = (): readonly TableLayout<DiscoveredServer>[] => {
  const id: Column<DiscoveredServer> = { title: "ID", cell: (found) => found.id };
  const from: Column<DiscoveredServer> = {
    title: "FROM",
    cell: ({ from: { client, scope } }) => (scope === "user" ? client : `${client} (${scope})`),
  };
  const transport: Column<DiscoveredServer> = {
    title: "TRANSPORT",
    cell: ({ config }) => (config === undefined ? "" : serverTransport(config)),
  };
  const command: Column<DiscoveredServer> = {
    title: "COMMAND",
    cell: ({ shown }) => plainText(shown),
    least: 24,
  };
  return [
    [id, from, transport, command],
    [id, from, command],
    [{ ...id, most: 16 }, command],
  ];
};

export const printDiscovered = (
  found: readonly DiscoveredServer[],
  isJson: boolean,
  terminal: Terminal,
): void => {
  if (isJson) {
    for (const each of found) terminal.out(toJsonLine(discoveredToJson(each)));
    return;
  }
  const { yellow, dim } = painter(terminal);
  const usable = found.filter(({ config }) => config !== undefined);
  if (usable.length > 0) terminal.out(renderTable(discoveredLayouts(), usable, terminal));
  for (const { problems } of found) {
    for (const problem of problems) terminal.error(`${yellow("!")} ${plainText(problem)}\n`);
  }
  const next =
    usable.length === 0
      ? "No program on this machine has MCP servers. haft mcp add ID -- command adds a new one."
      : "No server was started. Add one with haft mcp add ID.";
  terminal.error(`${dim(next)}\n`);
};
