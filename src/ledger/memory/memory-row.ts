import type { Redactor } from "../../base/json/redact.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { EntryClosing, EntryOpening, LedgerEntry } from "../../types/ledger.ts";
import type { HeldRunLeases } from "../held-run-leases.ts";
import type { MediaCache } from "./media-cache.ts";
import type { MemoryRunLease } from "./run-lease.ts";

export interface MemoryRow {
  readonly opening: EntryOpening;
  /** Taken at once only where the text is cut; otherwise when somebody asks. */
  readonly hash: string | undefined;
  closing: EntryClosing | undefined;
  ending: LedgerEntry["ending"];
  /** The claim under which it was opened last. */
  epoch: number | undefined;
  /** The names of the keys it holds. */
  keys: readonly string[];
  closedAt: number | undefined;
  /** Waits among the ended rows for its turn to be forgotten. */
  isQueued: boolean;
}

/** A key, and the call that holds it. */
export interface MemoryKey {
  readonly row: MemoryRow;
  /** Tool and arguments: the key stands for no other call. */
  readonly call: string;
  /** How long it is kept after the call ended; without one until the process ends. */
  readonly retentionMs: number | undefined;
}

/** What the parts of a ledger in memory share. */
export interface MemoryState {
  readonly rows: Map<string, MemoryRow>;
  readonly keys: Map<string, MemoryKey>;
  readonly mostKeys: number;
  readonly asked: Map<string, ApprovalRecord>;
  /** The newest claim on each run. */
  readonly claims: Map<string, MemoryRunLease>;
  readonly held: HeldRunLeases;
  readonly redactor: Redactor;
  readonly longest: number;
  readonly parts: MediaCache;
  /** Ends an entry; an older one may be forgotten for it. */
  readonly end: (row: MemoryRow, closing: EntryClosing) => void;
  /** Ends an entry as `unknown`. */
  readonly lose: (row: MemoryRow) => void;
  /** Keeps an ended entry that holds no key; an older one may be forgotten for it. */
  readonly archive: (row: MemoryRow) => void;
}
