import type { Result } from "@modelcontextprotocol/server";
import { isModern, type Line } from "../line.ts";

/** What a list holds depends on who asks: nobody else may keep it. */
export const cached = (line: Line, result: Result): Result =>
  isModern(line) ? { ...result, ttlMs: line.front.listTtlMs, cacheScope: "private" } : result;
