export { fileMcpTokens, type McpTokenStore } from "./mcp/auth/token-store.ts";
export type { FoundServer } from "./mcp/discover/found-server.ts";
export { type DiscoverOptions, discover } from "./mcp/discover.ts";
export type { Connection } from "./mcp/serve/connection.ts";
export type { ServeAuth, ServeJwt, ServeOptions } from "./mcp/serve/serve-options.ts";
export type { HostAuth } from "./server/auth/host-auth.ts";
export type { HttpHost } from "./server/host-options.ts";
export { type ServeHttpOptions, type ServeStdioOptions, serveHttp, serveStdio } from "./server/serve.ts";
