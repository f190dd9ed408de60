import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";
import type { LedgerEntry, LedgerStore } from "./ledger.ts";

/** A row of the hash chain. Texts are redacted; the hash covers them and the previous row. */
export interface ChainRow {
  /** SQLite has one chain, 0. On PostgreSQL each concurrent writer has its own. */
  readonly chain: number;
  /** The chain times 2³², plus the position in it. */
  readonly seq: number;
  readonly at: number;
  /**
   * Event kind: `opened`, `started`, `closed`, `lost`, `asked`, `answered`, `expired`, `used`, `annulled`,
   * `refused`, `keyed`, `key-released`, `run-began`, `run-handed`, `run-resumed`, `run-step`, `run-lost`,
   * `run-ended`, `pruned`, `key-rotated`, `keys-off`.
   */
  readonly kind: string;
  readonly entryId: string | undefined;
  readonly runId: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** Hash of the previous row; missing in rows of 0.1.0. */
  readonly prev: string | undefined;
  readonly hash: string;
  /** HMAC-SHA-256 of the hash, and the id of its key; undefined without a key. */
  readonly mac: string | undefined;
  readonly keyId: string | undefined;
}

/** Filters for chain rows. */
export interface ChainQuery {
  /** Only rows after this one. */
  readonly after?: number;
  /** The last known row of each chain; returns newer rows, chain by chain. */
  readonly behind?: readonly number[];
  readonly entryId?: string;
  readonly limit?: number;
}

/** Number of rows, and the first and last of them; gaps are possible. */
export interface RowRange {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** Rows whose MAC uses this key. */
export interface KeyUsage extends RowRange {
  readonly keyId: string;
  /** The key is available, so the MACs were checked. */
  readonly isHere: boolean;
}

export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/**
 * One hash over the heads of all chains. A copy kept elsewhere proves later that no earlier row was changed
 * or cut off.
 */
export interface LedgerAnchor {
  readonly number: number;
  readonly at: number;
  readonly root: string;
  readonly hash: string;
}

/** Result of verifying the chain. */
export interface Verification {
  /** True if no row is broken and nothing is `unproved`. */
  readonly ok: boolean;
  readonly rows: number;
  /** The last row. A copy kept elsewhere proves later that the end was not cut off. */
  readonly head: ChainHead;
  /** The last row of every chain. */
  readonly heads: readonly ChainHead[];
  /** The last anchor; PostgreSQL only. */
  readonly anchor?: LedgerAnchor;
  /** Rows after the last anchor; cutting them off would not be detected. */
  readonly unanchored?: number;
  /** The first invalid row (0 if it cannot be determined), and how it was detected. */
  readonly broken?: { readonly seq: number; readonly why: string };
  /** Set if nothing is broken, but MACs could not be checked because their key is not available. */
  readonly unproved?: string;
  /**
   * Rows without a MAC, which anyone with write access could have inserted, unless a later MAC covers them.
   */
  readonly unkeyed?: RowRange;
  /** In order of first use. */
  readonly keys: readonly KeyUsage[];
  /** Set if the key file is next to the ledger: its author could have written every row. */
  readonly keyFile?: string;
}

/** What the chain is verified against. */
export interface VerificationOptions {
  /** Hash of an earlier head or anchor that must still exist. */
  readonly expect?: string;
  /** Hash of an anchor (SQLite: a head) up to which the chain was verified before. */
  readonly from?: string;
  /** Every row from this number on must have a MAC. */
  readonly keyedFrom?: number;
  readonly onProgress?: (progress: LedgerProgress) => void;
}

/** Progress of verifying or pruning, in rows. */
export interface LedgerProgress {
  readonly done: number;
  /** Number of rows at the start; for pruning, an upper bound. */
  readonly total: number;
}

export interface SurveyQuery {
  readonly since: number;
  readonly until: number;
  readonly parts: number;
  readonly most: number;
}

export interface Survey {
  readonly counts: readonly { readonly at: number; readonly calls: number; readonly failed: number }[];
  /** All entries if there are at most `most`, else a proportional sample. */
  readonly entries: readonly LedgerEntry[];
  readonly isAll: boolean;
}

/** Options of pruning. */
export interface PruneOptions {
  /** Stops between two transactions. Rows deleted until then stay deleted, and the rest stays verifiable. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LedgerProgress) => void;
  /** Rewrites the whole SQLite file if it cannot release space otherwise; this blocks writers. */
  readonly rewrite?: boolean;
}

/** Result of pruning. */
export interface PruneResult {
  readonly rows: number;
  readonly entries: number;
  readonly payloads: number;
  /** False if pruning was stopped early. */
  readonly isComplete: boolean;
  /** Bytes by which the SQLite file shrank, or the size of dropped partitions on PostgreSQL. */
  readonly freedBytes: number;
  /** Bytes that only `rewrite` could release. */
  readonly unreturnedBytes: number;
}

/** A ledger that outlives its process, with the operations of its administrator. */
export interface DurableLedger extends Required<LedgerStore> {
  readonly rows: (query?: ChainQuery) => Effect<readonly ChainRow[], LedgerError>;
  /** The last row of every chain; `ChainQuery.behind` takes their numbers. */
  readonly heads: () => Effect<readonly ChainHead[], LedgerError>;
  /** Counts calls, and reads a limited sample of entries. */
  readonly survey: (query: SurveyQuery) => Effect<Survey, LedgerError>;
  readonly verify: (options?: VerificationOptions) => Effect<Verification, LedgerError>;
  /**
   * Deletes what was closed before a time, in many small transactions. The remaining chain stays verifiable.
   */
  readonly prune: (before: number, options?: PruneOptions) => Effect<PruneResult, LedgerError>;
  /** Writes an anchor if there are new rows since the last one. SQLite has no anchors. */
  readonly anchor: () => Effect<LedgerAnchor | undefined, LedgerError>;
  /** Anchors after this number, oldest first. */
  readonly anchors: (after?: number, limit?: number) => Effect<readonly LedgerAnchor[], LedgerError>;
  /** Appends a last row with a MAC; rows after it are valid without one. */
  readonly turnKeysOff: () => Effect<void, LedgerError>;
}

export const defaultLedgerPlace = "sqlite:.haft/ledger.db";
