import type { Result } from "@modelcontextprotocol/server";
import { type ClientConnection, usesModernProtocol } from "../client-connection.ts";

/** What a list holds depends on who asks: nobody else may keep it. */
export const withCacheHints = (connection: ClientConnection, result: Result): Result =>
  usesModernProtocol(connection)
    ? { ...result, ttlMs: connection.gateway.listTtlMs, cacheScope: "private" }
    : result;
