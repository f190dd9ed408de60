import { sizeOf } from "../mcp/client/content/size-of.ts";
import type { RemoteResult } from "../words/mcp.ts";

export interface KeptResult {
  readonly value: unknown;
  readonly result: RemoteResult;
}

/**
 * What servers answered to calls that waited for a person, whole. One client may be asked and another one hear of it, and
 * a ledger keeps only the value.
 */
export interface KeptResults {
  readonly keep: (callId: string, kept: KeptResult) => void;
  readonly find: (callId: string) => KeptResult | undefined;
}

const most = 1_000;
const mostBytes = 64 * 1_048_576;

/** The newest of them. */
export const keptResults = (): KeptResults => {
  const all = new Map<string, KeptResult & { readonly bytes: number }>();
  let total = 0;
  const drop = (callId: string): void => {
    total -= all.get(callId)?.bytes ?? 0;
    all.delete(callId);
  };
  return {
    keep: (callId, kept) => {
      drop(callId);
      const bytes = sizeOf(kept.result, mostBytes);
      if (bytes > mostBytes) return;
      all.set(callId, { ...kept, bytes });
      total += bytes;
      while (all.size > most || total > mostBytes) drop(all.keys().next().value as string);
    },
    find: (callId) => all.get(callId),
  };
};
