import type { Survey } from "../../../types/durable-ledger.ts";
import type { LedgerEntry } from "../../../types/ledger.ts";
import type { ApiContext } from "../api-context.ts";
import { invalidRequestError } from "../api-error.ts";
import { readChoice, readTime } from "../read-query.ts";
import { type Bucket, type GroupStats, groupKeySchema, type Overview } from "../schemas/overview.ts";
import { runLedger, type StudioServices } from "../studio-services.ts";
import { callStatsOf, failuresOf } from "./call-stats.ts";

const dayMs = 86_400_000;
const bucketCount = 60;
const maxSurveyedCalls = 2_000;
const maxGroups = 50;
const maxCountedApprovals = 1_000;

/** Counts are exact. Other statistics come from a sample of the calls, which `sample` describes. */
export const showOverview = async ({ studio, query }: ApiContext): Promise<Overview> => {
  const until = readTime(query, "until") ?? studio.now();
  const since = readTime(query, "since") ?? until - dayMs;
  const by = readChoice(query, "by", groupKeySchema.enum) ?? "tool";
  if (since >= until) throw invalidRequestError("`since` must be before `until`.");
  // All viewers share the answer for a second.
  const key = `overview ${readTime(query, "since") ?? "-"} ${readTime(query, "until") ?? "-"}`;
  const { survey, method } = await studio.remember(key, 1_000, () => surveyCalls(studio, since, until));
  const { entries, counts, isAll } = survey;
  const total = counts.reduce(
    (sum, { calls, failed }) => ({ calls: sum.calls + calls, failed: sum.failed + failed }),
    { calls: 0, failed: 0 },
  );
  const scale = entries.length === 0 ? 1 : total.calls / entries.length;
  const groups = groupsOf(entries, by, scale, !isAll);
  return {
    since: counts[0]?.at ?? since,
    until,
    by,
    total: callStatsOf(entries, { ...total, isEstimate: false }),
    groups: groups.slice(0, maxGroups),
    hasMore: groups.length > maxGroups,
    failures: failuresOf(entries, scale),
    buckets: bucketsOf(survey, until),
    bucketMs: (until - since) / bucketCount,
    sample: { calls: entries.length, isAll, method },
    approvals: await countApprovals(studio),
  };
};

interface SurveyResult {
  readonly survey: Survey;
  readonly method: Overview["sample"]["method"];
}

const surveyCalls = async (studio: StudioServices, since: number, until: number): Promise<SurveyResult> => {
  const { durable, ledger } = studio;
  if (durable !== undefined) {
    // Includes calls of the current millisecond.
    const survey = await runLedger(
      durable.survey({ since, until: until + 1, parts: bucketCount, most: maxSurveyedCalls }),
    );
    return { survey, method: survey.isAll ? "all" : "sample" };
  }
  const entries = await runLedger(ledger.entries({ since, until, limit: maxSurveyedCalls + 1 }));
  const isAll = entries.length <= maxSurveyedCalls;
  const partMs = (until - since) / bucketCount;
  const counts = Array.from({ length: bucketCount }, (_, i) => ({
    at: since + partMs * i,
    calls: 0,
    failed: 0,
  }));
  for (const { at, ending } of entries) {
    const count = counts[Math.min(bucketCount - 1, Math.floor((at - since) / partMs))]!;
    count.calls += 1;
    if (ending === "failed") count.failed += 1;
  }
  return { survey: { counts, entries, isAll }, method: isAll ? "all" : "newest" };
};

const groupsOf = (
  entries: readonly LedgerEntry[],
  by: Overview["by"],
  scale: number,
  isEstimate: boolean,
): readonly GroupStats[] => {
  const groups = Map.groupBy(entries, (entry) => entry[by] ?? "");
  return [...groups]
    .map(([name, of]) => ({
      name,
      ...callStatsOf(of, {
        calls: Math.round(of.length * scale),
        failed: Math.round(of.filter(({ ending }) => ending === "failed").length * scale),
        isEstimate,
      }),
    }))
    .sort((one, other) => other.calls.count - one.calls.count);
};

const bucketsOf = ({ counts, entries }: Survey, until: number): readonly Bucket[] =>
  counts.map(({ at, calls, failed }, i) => {
    const end = counts[i + 1]?.at ?? until + 1;
    const bucketEntries = entries.filter((entry) => entry.at >= at && entry.at < end);
    const { p50, p95, cost } = callStatsOf(bucketEntries, { calls, failed, isEstimate: false });
    return {
      at,
      calls,
      failed,
      ...(p50 === undefined ? {} : { p50 }),
      ...(p95 === undefined ? {} : { p95 }),
      ...(cost === undefined ? {} : { cost }),
    };
  });

const countApprovals = async ({ ledger, now }: StudioServices): Promise<Overview["approvals"]> => {
  const approvals = await runLedger(ledger.approvals.list({ status: "waiting", limit: maxCountedApprovals }));
  const open = approvals.filter(
    ({ waitsFor, expiresAt }) => waitsFor === undefined && (expiresAt === undefined || expiresAt > now()),
  );
  const oldest = Math.min(...open.map(({ askedAt }) => askedAt));
  return {
    waiting: open.length,
    hasMore: approvals.length >= maxCountedApprovals,
    ...(open.length === 0 ? {} : { oldestAskedAt: oldest }),
  };
};
