import type { Redactor } from "../../base/json/redact.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { EntryClosing, EntryOpening, LedgerEntry } from "../../types/ledger.ts";
import type { HeldRunLeases } from "../held-run-leases.ts";
import type { MediaCache } from "./media-cache.ts";
import type { MemoryRunLease } from "./run-lease.ts";

export interface MemoryRow {
  readonly opening: EntryOpening;
  /** Computed eagerly only for truncated texts. */
  readonly hash: string | undefined;
  closing: EntryClosing | undefined;
  ending: LedgerEntry["ending"];
  /** Of its last opening. */
  epoch: number | undefined;
  keys: readonly string[];
  closedAt: number | undefined;
  isQueued: boolean;
}

export interface MemoryKey {
  readonly row: MemoryRow;
  readonly call: string;
  /** After the call's end; undefined never expires. */
  readonly retentionMs: number | undefined;
}

export interface MemoryState {
  readonly rows: Map<string, MemoryRow>;
  readonly keys: Map<string, MemoryKey>;
  readonly mostKeys: number;
  readonly asked: Map<string, ApprovalRecord>;
  readonly claims: Map<string, MemoryRunLease>;
  readonly held: HeldRunLeases;
  readonly redactor: Redactor;
  readonly longest: number;
  readonly parts: MediaCache;
  readonly end: (row: MemoryRow, closing: EntryClosing) => void;
  readonly lose: (row: MemoryRow) => void;
  readonly archive: (row: MemoryRow) => void;
}
