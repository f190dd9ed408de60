import type { Result } from "@modelcontextprotocol/server";
import { type ClientConnection, isModern } from "../client-connection.ts";

/** What a list holds depends on who asks: nobody else may keep it. */
export const cached = (line: ClientConnection, result: Result): Result =>
  isModern(line) ? { ...result, ttlMs: line.front.listTtlMs, cacheScope: "private" } : result;
