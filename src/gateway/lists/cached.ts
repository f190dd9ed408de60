import type { Result } from "@modelcontextprotocol/server";
import { type ClientConnection, isModern } from "../client-connection.ts";

/** What a list holds depends on who asks: nobody else may keep it. */
export const cached = (connection: ClientConnection, result: Result): Result =>
  isModern(connection) ? { ...result, ttlMs: connection.gateway.listTtlMs, cacheScope: "private" } : result;
