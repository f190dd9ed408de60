import type { LedgerEntry } from "../../../types/ledger.ts";
import { executionMsOf } from "../calls/list-calls.ts";
import type { CallStats } from "../schemas/overview.ts";

/** Scales the cost of a sample to all counted calls. */
export const callStatsOf = (
  entries: readonly LedgerEntry[],
  counted: { readonly calls: number; readonly failed: number; readonly isEstimate: boolean },
): CallStats => {
  const times = entries
    .flatMap((entry) => {
      const durationMs = executionMsOf(entry);
      return durationMs === undefined || entry.ending === "pending" || entry.ending === "open"
        ? []
        : [durationMs];
    })
    .sort((one, other) => one - other);
  const costs = entries.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const { calls, failed, isEstimate } = counted;
  const share = entries.length === 0 ? 0 : calls / entries.length;
  return {
    calls: { count: calls, isEstimate },
    failed: { count: failed, isEstimate },
    ...(times.length === 0 ? {} : { p50: percentile(times, 0.5), p95: percentile(times, 0.95) }),
    ...(costs.length === 0 ? {} : { cost: roundCost(costs.reduce((sum, each) => sum + each, 0) * share) }),
  };
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;

const roundCost = (cost: number): number => Math.round(cost * 1_000_000) / 1_000_000;

export const failuresOf = (
  entries: readonly LedgerEntry[],
  scale: number,
): readonly { readonly code: string; readonly count: number }[] => {
  const codes = new Map<string, number>();
  for (const { code, ending } of entries) {
    if (ending === "failed") codes.set(code ?? "unknown", (codes.get(code ?? "unknown") ?? 0) + 1);
  }
  return [...codes]
    .map(([code, count]) => ({ code, count: Math.round(count * scale) }))
    .sort((one, other) => other.count - one.count);
};
