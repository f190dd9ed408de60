import { isStdioServer, type MaybeSecret, type McpServer } from "../types/mcp.ts";

export const serverSecretNames = (servers: Readonly<Record<string, McpServer>>): readonly string[] => {
  const values = Object.values(servers).flatMap((server): readonly MaybeSecret[] => {
    if (isStdioServer(server)) return Object.values(server.env ?? {});
    const { oauth } = server;
    const secret = typeof oauth === "object" ? oauth.clientSecret : undefined;
    return [...Object.values(server.headers ?? {}), ...(secret === undefined ? [] : [secret])];
  });
  const named = values.flatMap((value) => (typeof value === "string" ? [] : [value.secret]));
  return [...new Set(named)].sort();
};
