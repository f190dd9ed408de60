import type { ApiContext } from "../api-context.ts";
import { definedFields } from "../defined-fields.ts";
import { readChoice, readCount, readCursor, readText, toCursor } from "../read-query.ts";
import { type RunListItem, runStateSchema } from "../schemas/runs.ts";
import type { Page } from "../schemas/shared.ts";
import { runLedger } from "../studio-services.ts";
import { toRunListItem } from "./to-run-list-item.ts";

export const listRuns = async ({ studio, query }: ApiContext): Promise<Page<RunListItem>> => {
  const limit = readCount(query, "limit", 50, 500);
  const filter = definedFields({
    status: readChoice(query, "status", runStateSchema.enum),
    agent: readText(query, "agent"),
    before: readCursor(query),
  });
  const found = await runLedger(studio.ledger.runs.list({ ...filter, limit: limit + 1 }));
  const items = found.slice(0, limit).map(toRunListItem);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  return { items, hasMore, ...(hasMore && last !== undefined ? { next: toCursor(last.runId) } : {}) };
};
