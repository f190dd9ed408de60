import { isStdioServer, type McpServer } from "../../../../types/mcp.ts";

export type ServerEra = "legacy" | "modern";

const maxKnownEras = 1_000;
const knownEras = new Map<string, ServerEra>();

const eraKeyOf = (server: McpServer): string =>
  isStdioServer(server)
    ? JSON.stringify([server.command, server.args ?? [], server.cwd ?? ""])
    : JSON.stringify([server.transport ?? "http", server.url]);

export const findKnownEra = (server: McpServer): ServerEra | undefined => knownEras.get(eraKeyOf(server));

export const rememberEra = (server: McpServer, era: ServerEra): void => {
  if (knownEras.size >= maxKnownEras) knownEras.clear();
  knownEras.set(eraKeyOf(server), era);
};

export const forgetEra = (server: McpServer): void => {
  knownEras.delete(eraKeyOf(server));
};
