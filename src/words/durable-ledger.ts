import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";
import type { LedgerStore } from "./ledger.ts";

/** One row of the chain, as it was appended. Its texts are redacted; the hash is over them and the row before. */
export interface ChainRow {
  readonly seq: number;
  readonly at: number;
  /** `opened`, `started`, `closed`, `lost`, `asked`, `answered`, `expired`, `used`, `annulled`, `refused`, `keyed`, `run-began`, `run-handed`, `run-resumed`, `run-ended`, `pruned`. */
  readonly kind: string;
  readonly entryId: string | undefined;
  readonly runId: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

export interface ChainQuery {
  /** Only rows behind this one. */
  readonly after?: number;
  readonly entryId?: string;
  readonly limit?: number;
}

/** What came of walking the chain from its first row to its last. */
export interface Verification {
  readonly ok: boolean;
  readonly rows: number;
  /** The last row: noted elsewhere, it shows later that nothing was cut off the end. */
  readonly head: { readonly seq: number; readonly hash: string };
  readonly broken?: { readonly seq: number; readonly why: string };
}

export interface Pruned {
  readonly rows: number;
  readonly entries: number;
  readonly payloads: number;
}

/** A ledger that outlives its process: everything a store can do, and what its keeper needs. */
export interface DurableLedger extends Required<LedgerStore> {
  /** Where it is, without any password. */
  readonly place: string;
  readonly rows: (query?: ChainQuery) => Effect<readonly ChainRow[], LedgerError>;
  /** `expect` is the hash of a head noted before: it must still be in the chain. */
  readonly verify: (options?: { readonly expect?: string }) => Effect<Verification, LedgerError>;
  /** Drops what was closed before a time. The chain stays provable from there on. */
  readonly prune: (before: number) => Effect<Pruned, LedgerError>;
}
