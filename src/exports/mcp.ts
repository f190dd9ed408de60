export { type DiscoverOptions, discover } from "../mcp/discovery/discover.ts";
export type { DiscoveredServer } from "../mcp/discovery/discovered-server.ts";
export { fileMcpTokens, type McpTokenStore } from "../runtime/mcp-options.ts";
export type { Connection } from "../server/gateway/serve-connection.ts";
export type { ServeAuth, ServeJwt, ServeOptions, ServeSearch } from "../server/gateway/serve-options.ts";
export type { HostAuth } from "../server/http/auth/host-auth.ts";
export type { HttpHost } from "../server/http/host-options.ts";
export {
  type ServeHttpOptions,
  type ServeStdioOptions,
  serveHttp,
  serveStdio,
} from "../server/http/serve.ts";
