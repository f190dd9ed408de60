import { isStdio, type McpServer } from "../../../../words/mcp.ts";

export type Era = "legacy" | "modern";

const most = 1_000;
const known = new Map<string, Era>();

const keyOf = (server: McpServer): string =>
  isStdio(server)
    ? JSON.stringify([server.command, server.args ?? [], server.cwd ?? ""])
    : JSON.stringify([server.transport ?? "http", server.url]);

/** What was found out about a server in this process, so that finding out is paid for once. */
export const knownEra = (server: McpServer): Era | undefined => known.get(keyOf(server));

export const rememberEra = (server: McpServer, era: Era): void => {
  if (known.size >= most) known.clear();
  known.set(keyOf(server), era);
};

export const forgetEra = (server: McpServer): void => {
  known.delete(keyOf(server));
};
