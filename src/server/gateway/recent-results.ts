import { sizeOf } from "../../mcp/client/content/size-of.ts";
import type { RemoteResult } from "../../types/mcp.ts";

export interface RecentResult {
  readonly value: unknown;
  readonly result: RemoteResult;
}

/**
 * Complete results of approved calls, because another client may fetch them and the ledger stores only the
 * value.
 */
export interface RecentResults {
  readonly keep: (callId: string, kept: RecentResult) => void;
  readonly find: (callId: string) => RecentResult | undefined;
}

const maxRecentResults = 1_000;
const maxRecentResultBytes = 64 * 1_048_576;

export const createRecentResults = (): RecentResults => {
  const all = new Map<string, RecentResult & { readonly bytes: number }>();
  let total = 0;
  const drop = (callId: string): void => {
    total -= all.get(callId)?.bytes ?? 0;
    all.delete(callId);
  };
  return {
    keep: (callId, kept) => {
      drop(callId);
      const bytes = sizeOf(kept.result, maxRecentResultBytes);
      if (bytes > maxRecentResultBytes) return;
      all.set(callId, { ...kept, bytes });
      total += bytes;
      while (all.size > maxRecentResults || total > maxRecentResultBytes)
        drop(all.keys().next().value as string);
    },
    find: (callId) => all.get(callId),
  };
};
