import { given } from "../calls/call-line.ts";
import { readCount, readCursor, readName, readWord, toCursor } from "../request/read-query.ts";
import type { Visit } from "../visit.ts";
import type { RunLine } from "../words/runs.ts";
import type { Page } from "../words/shared.ts";
import { ask } from "../world.ts";
import { toRunLine } from "./run-line.ts";

export const runStates = ["running", "done", "pending", "stopped", "cancelled", "failed"] as const;

/** Newest first. */
export const listRuns = async ({ world, query }: Visit): Promise<Page<RunLine>> => {
  const limit = readCount(query, "limit", 50, 500);
  const asked = given({
    status: readWord(query, "status", runStates),
    agent: readName(query, "agent"),
    before: readCursor(query),
  });
  const found = await ask(world.ledger.runs.list({ ...asked, limit: limit + 1 }));
  const items = found.slice(0, limit).map(toRunLine);
  const last = items.at(-1);
  const isCut = found.length > limit;
  return { items, isCut, ...(isCut && last !== undefined ? { next: toCursor(last.runId) } : {}) };
};
