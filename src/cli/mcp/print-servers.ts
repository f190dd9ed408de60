import type { McpServer, McpServerState } from "../../types/mcp.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { type Column, renderTable, type TableLayout } from "../fit-table.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";
import {
  type ConfiguredServer,
  describeServer,
  type ServerFileFlags,
  serverDisplayText,
  serverTransport,
} from "./configured-servers.ts";

/** Connects to servers and returns their states. Leaves none connected. */
export type OpenServers = (
  servers: Readonly<Record<string, McpServer>>,
  terminal: Terminal,
  given: ServerFileFlags,
) => Promise<readonly McpServerState[]>;

interface McpServerRow extends ConfiguredServer {
  readonly state: McpServerState | undefined;
}

const serverStatusText = ({ server, state }: McpServerRow): string =>
  server.disabled === true ? "disabled" : (state?.status ?? "not asked");

export const printServers = (
  servers: readonly ConfiguredServer[],
  states: readonly McpServerState[] | undefined,
  isJson: boolean,
  terminal: Terminal,
): number => {
  const rows = servers.map(
    (each): McpServerRow => ({ ...each, state: states?.find(({ id }) => id === each.id) }),
  );
  if (isJson) for (const row of rows) terminal.out(toJsonLine(serverRowToJson(row)));
  else if (rows.length > 0)
    terminal.out(renderTable(serverLayouts(states !== undefined, terminal), rows, terminal));
  else
    terminal.error(
      "No servers yet. haft mcp discover lists those of other programs; haft mcp add adds one.\n",
    );
  if (!isJson) for (const { id, state } of rows) printServerProblems(id, state, terminal);
  return rows.some(({ state }) => state?.status === "error" || state?.status === "disconnected")
    ? exitCodes.failed
    : exitCodes.done;
};

const serverRowToJson = (row: McpServerRow) => ({
  ...describeServer(row.id, row.server),
  file: row.file,
  status: serverStatusText(row).replace(" ", "-"),
  ...(row.state === undefined ? {} : { state: row.state }),
});

const serverLayouts = (isAsked: boolean, terminal: Terminal): readonly TableLayout<McpServerRow>[] => {
  const { green, red, yellow, dim } = painter(terminal);
  const paints: Readonly<Record<string, (text: string) => string>> = {
    connected: green,
    error: red,
    disconnected: red,
    degraded: yellow,
    connecting: yellow,
  };
  const id: Column<McpServerRow> = { title: "ID", cell: (row) => row.id };
  const status: Column<McpServerRow> = {
    title: "STATUS",
    cell: (row) => (paints[serverStatusText(row)] ?? dim)(serverStatusText(row)),
  };
  const transport: Column<McpServerRow> = {
    title: "TRANSPORT",
    cell: ({ server }) => serverTransport(server),
  };
  const tools: Column<McpServerRow> = {
    title: "TOOLS",
    cell: ({ state }) => String(state?.tools.length ?? ""),
  };
  const file: Column<McpServerRow> = { title: "FILE", cell: (row) => plainText(row.file), most: 30 };
  const command: Column<McpServerRow> = {
    title: "COMMAND",
    cell: ({ server }) => plainText(serverDisplayText(server)),
    least: 24,
  };
  return isAsked
    ? [
        [id, status, transport, tools, file, command],
        [id, status, tools, command],
        [{ ...id, most: 16 }, status, command],
      ]
    : [
        [id, status, transport, file, command],
        [id, status, command],
        [{ ...id, most: 16 }, command],
      ];
};

const printServerProblems = (id: string, state: McpServerState | undefined, terminal: Terminal): void => {
  const { yellow, dim } = painter(terminal);
  if (state === undefined) return;
  if (state.reason !== undefined) terminal.error(`${yellow("!")} ${id}: ${plainText(state.reason)}\n`);
  for (const { tool, reason } of state.quarantined) {
    terminal.error(`${yellow("!")} ${plainText(tool)} is quarantined: ${plainText(reason)}\n`);
  }
  for (const { tool, loss } of state.losses ?? []) {
    terminal.error(`${dim(`${plainText(tool)}: ${plainText(loss)}`)}\n`);
  }
};
