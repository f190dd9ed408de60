import { isModelKey } from "../../../types/call.ts";
import type { LedgerEntry, LedgerQuery } from "../../../types/ledger.ts";
import type { ApiContext } from "../api-context.ts";
import {
  definedFields,
  readChoice,
  readCount,
  readCursor,
  readText,
  readTime,
  textBeginning,
  toCursor,
} from "../read-query.ts";
import { type CallListItem, callEndingSchema } from "../schemas/call-list-items.ts";
import type { Count, Page } from "../schemas/shared.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";

const pageDirections = ["older", "newer"] as const;

/** The cursor names a ledger entry, so that new calls do not shift the pages. */
export const listCalls = async ({ studio, query }: ApiContext): Promise<Page<CallListItem>> => {
  const limit = readCount(query, "limit", 50, 500);
  const cursor = readCursor(query);
  const isNewer = readChoice(query, "direction", pageDirections) === "newer";
  const filter = definedFields({
    tool: readText(query, "tool"),
    agent: readText(query, "agent"),
    session: readText(query, "session"),
    runId: readText(query, "run"),
    callId: readText(query, "callId"),
    ending: readChoice(query, "ending", callEndingSchema.enum),
    since: readTime(query, "since"),
    until: readTime(query, "until"),
  });
  const cursorFilter = cursor === undefined ? {} : isNewer ? { after: cursor } : { before: cursor };
  // One extra entry shows whether there are more.
  const ledgerQuery: LedgerQuery = { ...filter, ...cursorFilter, limit: limit + 1 };
  const found = await runLedger(studio.ledger.entries(ledgerQuery));
  const hasMore = found.length > limit;
  const isForward = isNewer && cursor !== undefined;
  const pageEntries = hasMore ? (isForward ? found.slice(0, limit) : found.slice(1)) : found;
  const items = pageEntries.map(toCallListItem).reverse();
  const [newest, oldest] = [items[0]?.entryId, items.at(-1)?.entryId];
  const hasOlder = isForward ? true : hasMore;
  const hasNewer = isForward ? hasMore : cursor !== undefined;
  const total = await countAllCalls(studio, filter, found, hasMore || cursor !== undefined);
  return {
    items,
    hasMore: hasMore,
    ...(hasOlder && oldest !== undefined ? { next: toCursor(oldest) } : {}),
    ...(hasNewer && newest !== undefined ? { previous: toCursor(newest) } : {}),
    ...(total === undefined ? {} : { total }),
  };
};

/** Model calls are recorded as tools with this prefix. */
export const toCallListItem = (entry: LedgerEntry): CallListItem => {
  const { entryId, callId, runId, tool, at, ending, result, message, provenance, taints = [] } = entry;
  const { agent, user, tenant, session, parentId, code, cost, ranWith } = entry;
  const isRepaired = provenance?.repaired === true;
  return {
    entryId,
    callId,
    runId,
    tool,
    at,
    ending,
    ...definedFields({
      agent,
      user,
      tenant,
      session,
      parentId,
      code,
      durationMs: executionMsOf(entry),
      cost,
    }),
    input: textBeginning(entry.input),
    ...(result === undefined ? {} : { result: textBeginning(result) }),
    ...(message === undefined ? {} : { message: textBeginning(message, 500) }),
    isModel: isModelKey(entry.tool),
    ...(isRepaired ? { isRepaired: true as const } : {}),
    ...(ranWith !== undefined && !isRepaired ? { isChanged: true as const } : {}),
    ...(taints.length === 0 ? {} : { isTainted: true as const }),
  };
};

/** Longer waits before the first attempt come from approvals or limits. */
const minCountedWaitMs = 1_000;

export const executionMsOf = ({ at, durationMs, attempts = [] }: LedgerEntry): number | undefined => {
  const [first] = attempts;
  const waited = first === undefined ? 0 : first.startedAt - at;
  return durationMs === undefined || waited < minCountedWaitMs
    ? durationMs
    : Math.max(0, durationMs - waited);
};

const totalCacheMs = 10_000;

/** Estimated if there are several pages; undefined for filters without an index. */
const countAllCalls = async (
  { durable, now, remember }: StudioServices,
  filter: Partial<LedgerQuery>,
  found: readonly LedgerEntry[],
  isPartial: boolean,
): Promise<Count | undefined> => {
  if (!isPartial) return { count: found.length, isEstimate: false };
  const { since, until, ending, ...named } = filter;
  if (durable === undefined || Object.keys(named).length > 0) return undefined;
  if (ending !== undefined && ending !== "failed") return undefined;
  const time = { since: since ?? 0, until: (until ?? now()) + 1 };
  const key = `total ${since ?? "-"} ${until ?? "-"}`;
  const find = () => runLedger(durable.survey({ ...time, parts: 1, most: 0 }));
  const { counts } = await remember(key, totalCacheMs, find);
  return {
    count: ending === "failed" ? (counts[0]?.failed ?? 0) : (counts[0]?.calls ?? 0),
    isEstimate: true,
  };
};
