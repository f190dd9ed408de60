import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";
import type { LedgerEntry, LedgerStore } from "./ledger.ts";

/** One row of the chain, as it was appended. Its texts are redacted; the hash is over them and the row before. */
export interface ChainRow {
  /** SQLite has one, 0. On PostgreSQL each who writes at the same time has a chain of its own. */
  readonly chain: number;
  /** The chain times 2³², and the row's place in it. */
  readonly seq: number;
  readonly at: number;
  /** `opened`, `started`, `closed`, `lost`, `asked`, `answered`, `expired`, `used`, `annulled`, `refused`, `keyed`, `key-released`, `run-began`, `run-handed`, `run-resumed`, `run-step`, `run-lost`, `run-ended`, `pruned`, `key-rotated`, `keys-off`. */
  readonly kind: string;
  readonly entryId: string | undefined;
  readonly runId: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  /** The hash of the row before. Rows of 0.1.0 do not name it. */
  readonly prev: string | undefined;
  readonly hash: string;
  /** HMAC-SHA-256 of the hash, and the id of its key. Without a key rows have neither. */
  readonly mac: string | undefined;
  readonly keyId: string | undefined;
}

/** Which rows of the chain are wanted. */
export interface ChainQuery {
  /** Only rows behind this one. */
  readonly after?: number;
  /** The last row that is known in each chain: only what came since in any of them, chain by chain. */
  readonly behind?: readonly number[];
  readonly entryId?: string;
  readonly limit?: number;
}

/** Rows, one behind the other or not, from the first to the last of them. */
export interface RowRange {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** The rows whose MAC is of one key. */
export interface KeyUsage extends RowRange {
  readonly keyId: string;
  /** Whether the key is here, so that the MACs were checked. */
  readonly isHere: boolean;
}

/** A row by its number and hash. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The ends of all chains at one moment, as one hash. Noted elsewhere, it shows later that nothing before it was changed or cut off. */
export interface LedgerAnchor {
  /** From 1, without gaps. */
  readonly number: number;
  readonly at: number;
  /** The Merkle root of the last rows of all chains. */
  readonly root: string;
  /** Over the root and the anchor before: what `expect` and `from` take. */
  readonly hash: string;
}

/** What came of following the chain from its first row to its last. */
export interface Verification {
  /** Nothing contradicts anything else, and nothing is `unproved`. */
  readonly ok: boolean;
  readonly rows: number;
  /** The last row: noted elsewhere, it shows later that nothing was cut off the end. Of several chains, that of the first. */
  readonly head: ChainHead;
  /** The last row of every chain. */
  readonly heads: readonly ChainHead[];
  /** The last anchor, where there are any: on PostgreSQL. */
  readonly anchor?: LedgerAnchor;
  /** Rows behind the last anchor: what was cut off there would not be missed. */
  readonly unanchored?: number;
  /** The first row that is not as it was written, 0 where none can be named, and why that is known. */
  readonly broken?: { readonly seq: number; readonly why: string };
  /** Nothing is broken, but MACs could not be checked: their key is not here. */
  readonly unproved?: string;
  /** Rows without a MAC: whoever could write to the database could have written them, unless a later row with one covers them. */
  readonly unkeyed?: RowRange;
  /** In the order in which they came to be used. */
  readonly keys: readonly KeyUsage[];
  /**
   * The key was read from this file next to the ledger, and not from the user's configuration: if both came from the same
   * place, their author can have written every row.
   */
  readonly keyFile?: string;
}

/** What the chain is held against besides itself. */
export interface VerificationOptions {
  /** The hash of a head or an anchor noted before: it must still be there. */
  readonly expect?: string;
  /** The hash of an anchor, or in SQLite of a head, up to which everything was verified before: only what came since is. */
  readonly from?: string;
  /** Every row from this number on must carry a MAC. */
  readonly keyedFrom?: number;
  readonly onProgress?: (progress: LedgerProgress) => void;
}

/** How far verifying or pruning has come, in rows. */
export interface LedgerProgress {
  readonly done: number;
  /** Of what there was when it began; for pruning, the most that it can come to. */
  readonly total: number;
}

/** Of which time, in how many equal parts, and how many entries may be read for it. */
export interface SurveyQuery {
  /** At or after this time, in milliseconds since 1970, and before `until`. */
  readonly since: number;
  readonly until: number;
  readonly parts: number;
  readonly most: number;
}

/** The calls of a time: counted in each part of it, and some or all of them to look at. */
export interface Survey {
  /** Oldest first, one for each part. */
  readonly counts: readonly { readonly at: number; readonly calls: number; readonly failed: number }[];
  /** Oldest first. All of them where that are at most `most`, else some from everywhere, in proportion. */
  readonly entries: readonly LedgerEntry[];
  readonly isAll: boolean;
}

/** How old records are dropped. */
export interface PruneOptions {
  /** Stops between two transactions. What was dropped until then stays dropped, and the rest stays provable. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LedgerProgress) => void;
  /** Rewrites the whole SQLite file once, if it cannot give space back otherwise. Nobody writes meanwhile. */
  readonly rewrite?: boolean;
}

/** What was dropped. */
export interface PruneResult {
  readonly rows: number;
  readonly entries: number;
  readonly payloads: number;
  /** False if it was stopped before it was through. */
  readonly isComplete: boolean;
  /** By so many bytes the SQLite file is shorter, or PostgreSQL's whole months were. Space of other rows it keeps for rows to come. */
  readonly freedBytes: number;
  /** Space that could only be given back by `rewrite`. */
  readonly unreturnedBytes: number;
}

/** A ledger that outlives its process: everything a store can do, and what its keeper needs. */
export interface DurableLedger extends Required<LedgerStore> {
  readonly rows: (query?: ChainQuery) => Effect<readonly ChainRow[], LedgerError>;
  /** The last row of every chain: `behind` takes their numbers. */
  readonly heads: () => Effect<readonly ChainHead[], LedgerError>;
  /** Counts the calls of a time by indexes, and reads as many of them as it may, so that it is quick among millions. */
  readonly survey: (query: SurveyQuery) => Effect<Survey, LedgerError>;
  readonly verify: (options?: VerificationOptions) => Effect<Verification, LedgerError>;
  /** Drops what was closed before a time, in many small transactions. The chain stays provable from there on. */
  readonly prune: (before: number, options?: PruneOptions) => Effect<PruneResult, LedgerError>;
  /** Writes an anchor now, if anything was written since the last one. SQLite has none. */
  readonly anchor: () => Effect<LedgerAnchor | undefined, LedgerError>;
  /** Anchors behind the one of this number, oldest first. */
  readonly anchors: (after?: number, limit?: number) => Effect<readonly LedgerAnchor[], LedgerError>;
  /** Appends a last row with a MAC, behind which rows without one are right. */
  readonly turnKeysOff: () => Effect<void, LedgerError>;
}
