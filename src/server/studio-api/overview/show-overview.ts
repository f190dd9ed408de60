import type { Survey } from "../../words/durable-ledger.ts";
import type { LedgerEntry } from "../../words/ledger.ts";
import { invalid } from "../refused.ts";
import { readTime, readWord } from "../request/read-query.ts";
import type { Visit } from "../visit.ts";
import type { Bucket, GroupFigures, Overview } from "../words/overview.ts";
import { ask, type StudioWorld } from "../world.ts";
import { failuresOf, figuresOf } from "./figures.ts";

const day = 86_400_000;
const parts = 60;
/** So many calls are read at most. Which ones, `survey` says. */
const most = 2_000;
const mostGroups = 50;
const mostQuestions = 1_000;

/** How calls went. Counts are exact, the rest is taken from at most so many calls, and the answer says which. */
export const showOverview = async ({ world, query }: Visit): Promise<Overview> => {
  const until = readTime(query, "until") ?? world.now();
  const since = readTime(query, "since") ?? until - day;
  const by = readWord(query, "by", ["tool", "agent", "tenant"]) ?? "tool";
  if (since >= until) throw invalid("`since` is before `until`.");
  // The same for everybody who looks within a second.
  const key = `overview ${readTime(query, "since") ?? "-"} ${readTime(query, "until") ?? "-"}`;
  const { survey, how } = await world.remember(key, 1_000, () => surveyOf(world, since, until));
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
    total: figuresOf(entries, { ...total, isEstimate: false }),
    groups: groups.slice(0, mostGroups),
    isCut: groups.length > mostGroups,
    failures: failuresOf(entries, scale),
    buckets: bucketsOf(survey, until),
    bucketMs: (until - since) / parts,
    looked: { calls: entries.length, isAll, how },
    approvals: await questionsOf(world),
  };
};

interface Surveyed {
  readonly survey: Survey;
  readonly how: Overview["looked"]["how"];
}

const surveyOf = async (world: StudioWorld, since: number, until: number): Promise<Surveyed> => {
  const { durable, ledger } = world;
  if (durable !== undefined) {
    // A call that begins in this very millisecond counts too.
    const survey = await ask(durable.survey({ since, until: until + 1, parts, most }));
    return { survey, how: survey.isAll ? "all" : "sample" };
  }
  const entries = await ask(ledger.entries({ since, until, limit: most + 1 }));
  const isAll = entries.length <= most;
  const partMs = (until - since) / parts;
  const counts = Array.from({ length: parts }, (_, i) => ({ at: since + partMs * i, calls: 0, failed: 0 }));
  for (const { at, ending } of entries) {
    const count = counts[Math.min(parts - 1, Math.floor((at - since) / partMs))]!;
    count.calls += 1;
    if (ending === "failed") count.failed += 1;
  }
  return { survey: { counts, entries, isAll }, how: isAll ? "all" : "newest" };
};

const groupsOf = (
  entries: readonly LedgerEntry[],
  by: Overview["by"],
  scale: number,
  isEstimate: boolean,
): readonly GroupFigures[] => {
  const groups = Map.groupBy(entries, (entry) => entry[by] ?? "");
  return [...groups]
    .map(([name, of]) => ({
      name,
      ...figuresOf(of, {
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
    const mine = entries.filter((entry) => entry.at >= at && entry.at < end);
    const { p50, p95, cost } = figuresOf(mine, { calls, failed, isEstimate: false });
    return {
      at,
      calls,
      failed,
      ...(p50 === undefined ? {} : { p50 }),
      ...(p95 === undefined ? {} : { p95 }),
      ...(cost === undefined ? {} : { cost }),
    };
  });

const questionsOf = async ({ ledger, now }: StudioWorld): Promise<Overview["approvals"]> => {
  const asked = await ask(ledger.approvals.list({ status: "waiting", limit: mostQuestions }));
  const open = asked.filter(
    ({ waitsFor, expiresAt }) => waitsFor === undefined && (expiresAt === undefined || expiresAt > now()),
  );
  const oldest = Math.min(...open.map(({ askedAt }) => askedAt));
  return {
    waiting: open.length,
    isCut: asked.length >= mostQuestions,
    ...(open.length === 0 ? {} : { oldestAskedAt: oldest }),
  };
};
