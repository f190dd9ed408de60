import type { Result } from "@modelcontextprotocol/server";
import { type ClientConnection, usesModernProtocol } from "../client-connection.ts";

/** Lists depend on the caller, so caches must not share them. */
export const withCacheHints = (connection: ClientConnection, result: Result): Result =>
  usesModernProtocol(connection)
    ? { ...result, ttlMs: connection.gateway.listTtlMs, cacheScope: "private" }
    : result;
