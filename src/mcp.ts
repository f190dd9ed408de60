export type { Connection } from "./gateway/connection.ts";
export type { ServeAuth, ServeJwt, ServeOptions, ServeSearch } from "./gateway/serve-options.ts";
export { fileMcpTokens, type McpTokenStore } from "./mcp/client/auth/token-store.ts";
export { type DiscoverOptions, discover } from "./mcp/discover/discover.ts";
export type { FoundServer } from "./mcp/discover/found-server.ts";
export type { HostAuth } from "./server/auth/host-auth.ts";
export type { HttpHost } from "./server/host-options.ts";
export { type ServeHttpOptions, type ServeStdioOptions, serveHttp, serveStdio } from "./server/serve.ts";
