import type { McpServer, McpServerState } from "../../words/mcp.ts";
import { type Column, type Layout, listed } from "../columns.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { painter, plain, toJsonLine } from "../screen.ts";
import type { ConfiguredServer, GivenFiles } from "./configured.ts";
import { describeServer, shownServer, transportOf } from "./describe-server.ts";

/** Connects to servers, and tells what became of each once all have answered or run out of time. It leaves none connected. */
export type OpenServers = (
  servers: Readonly<Record<string, McpServer>>,
  terminal: Terminal,
  given: GivenFiles,
) => Promise<readonly McpServerState[]>;

interface ServerRow extends ConfiguredServer {
  readonly state: McpServerState | undefined;
}

const statusOf = ({ server, state }: ServerRow): string =>
  server.disabled === true ? "disabled" : (state?.status ?? "not asked");

/** One line for each server; with their states, whoever failed fails the command. */
export const listServers = (
  servers: readonly ConfiguredServer[],
  states: readonly McpServerState[] | undefined,
  isJson: boolean,
  terminal: Terminal,
): number => {
  const rows = servers.map(
    (each): ServerRow => ({ ...each, state: states?.find(({ id }) => id === each.id) }),
  );
  if (isJson) for (const row of rows) terminal.out(toJsonLine(asJson(row)));
  else if (rows.length > 0) terminal.out(listed(layouts(states !== undefined, terminal), rows, terminal));
  else
    terminal.error(
      "No servers yet. haft mcp discover lists those of other programs; haft mcp add adds one.\n",
    );
  if (!isJson) for (const { id, state } of rows) tellTrouble(id, state, terminal);
  return rows.some(({ state }) => state?.status === "error" || state?.status === "disconnected")
    ? exitCodes.failed
    : exitCodes.done;
};

const asJson = (row: ServerRow) => ({
  ...describeServer(row.id, row.server),
  file: row.file,
  status: statusOf(row).replace(" ", "-"),
  ...(row.state === undefined ? {} : { state: row.state }),
});

const layouts = (isAsked: boolean, terminal: Terminal): readonly Layout<ServerRow>[] => {
  const { green, red, yellow, dim } = painter(terminal);
  const paints: Readonly<Record<string, (text: string) => string>> = {
    connected: green,
    error: red,
    disconnected: red,
    degraded: yellow,
    connecting: yellow,
  };
  const id: Column<ServerRow> = { title: "ID", cell: (row) => row.id };
  const status: Column<ServerRow> = {
    title: "STATUS",
    cell: (row) => (paints[statusOf(row)] ?? dim)(statusOf(row)),
  };
  const transport: Column<ServerRow> = { title: "TRANSPORT", cell: ({ server }) => transportOf(server) };
  const tools: Column<ServerRow> = { title: "TOOLS", cell: ({ state }) => String(state?.tools.length ?? "") };
  const file: Column<ServerRow> = { title: "FILE", cell: (row) => plain(row.file), most: 30 };
  const command: Column<ServerRow> = {
    title: "COMMAND",
    cell: ({ server }) => plain(shownServer(server)),
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

const tellTrouble = (id: string, state: McpServerState | undefined, terminal: Terminal): void => {
  const { yellow, dim } = painter(terminal);
  if (state === undefined) return;
  if (state.reason !== undefined) terminal.error(`${yellow("!")} ${id}: ${plain(state.reason)}\n`);
  for (const { tool, reason } of state.quarantined) {
    terminal.error(`${yellow("!")} ${plain(tool)} is held back: ${plain(reason)}\n`);
  }
  for (const { tool, loss } of state.losses ?? []) {
    terminal.error(`${dim(`${plain(tool)}: ${plain(loss)}`)}\n`);
  }
};
