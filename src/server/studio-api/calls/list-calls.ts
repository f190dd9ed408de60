import type { LedgerEntry, LedgerQuery } from "../../words/ledger.ts";
import { readCount, readCursor, readName, readTime, readWord, toCursor } from "../request/read-query.ts";
import type { Visit } from "../visit.ts";
import type { CallLine } from "../words/calls.ts";
import type { Count, Page } from "../words/shared.ts";
import { ask, type StudioWorld } from "../world.ts";
import { given, toCallLine } from "./call-line.ts";

export const endings = ["open", "executed", "failed", "pending", "hydrated", "unknown"] as const;
const directions = ["older", "newer"] as const;

/** Newest first, a page at a time; which page is an entry, so that new calls move nothing. */
export const listCalls = async ({ world, query }: Visit): Promise<Page<CallLine>> => {
  const limit = readCount(query, "limit", 50, 500);
  const cursor = readCursor(query);
  const isNewer = readWord(query, "direction", directions) === "newer";
  const filter = given({
    tool: readName(query, "tool"),
    agent: readName(query, "agent"),
    session: readName(query, "session"),
    runId: readName(query, "run"),
    callId: readName(query, "callId"),
    ending: readWord(query, "ending", endings),
    since: readTime(query, "since"),
    until: readTime(query, "until"),
  });
  const place = cursor === undefined ? {} : isNewer ? { after: cursor } : { before: cursor };
  // One more than is shown tells whether there are more.
  const asked: LedgerQuery = { ...filter, ...place, limit: limit + 1 };
  const found = await ask(world.ledger.entries(asked));
  const isFurther = found.length > limit;
  const isForward = isNewer && cursor !== undefined;
  const kept = isFurther ? (isForward ? found.slice(0, limit) : found.slice(1)) : found;
  const items = kept.map(toCallLine).reverse();
  const [newest, oldest] = [items[0]?.entryId, items.at(-1)?.entryId];
  const hasOlder = isForward ? true : isFurther;
  const hasNewer = isForward ? isFurther : cursor !== undefined;
  const total = await totalOf(world, filter, found, isFurther || cursor !== undefined);
  return {
    items,
    isCut: isFurther,
    ...(hasOlder && oldest !== undefined ? { next: toCursor(oldest) } : {}),
    ...(hasNewer && newest !== undefined ? { previous: toCursor(newest) } : {}),
    ...(total === undefined ? {} : { total }),
  };
};

/** Whoever turns pages need not have all of them counted each time. */
const totalMs = 10_000;

/** How many calls all pages have: counted where they fit on one, or by indexes where no name is looked for. */
const totalOf = async (
  { durable, now, remember }: StudioWorld,
  filter: Partial<LedgerQuery>,
  found: readonly LedgerEntry[],
  isPart: boolean,
): Promise<Count | undefined> => {
  if (!isPart) return { count: found.length, isEstimate: false };
  const { since, until, ending, ...named } = filter;
  if (durable === undefined || Object.keys(named).length > 0) return undefined;
  if (ending !== undefined && ending !== "failed") return undefined;
  const time = { since: since ?? 0, until: (until ?? now()) + 1 };
  const key = `total ${since ?? "-"} ${until ?? "-"}`;
  const find = () => ask(durable.survey({ ...time, parts: 1, most: 0 }));
  const { counts } = await remember(key, totalMs, find);
  return {
    count: ending === "failed" ? (counts[0]?.failed ?? 0) : (counts[0]?.calls ?? 0),
    isEstimate: true,
  };
};
