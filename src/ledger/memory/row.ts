import type { Redactor } from "../../json/redact.ts";
import type { ApprovalRecord } from "../../words/approval.ts";
import type { Closing, LedgerEntry, Opening } from "../../words/ledger.ts";
import type { HeldClaims } from "../held-claims.ts";
import type { MemoryClaim } from "./claims.ts";
import type { KeptParts } from "./kept-parts.ts";

export interface MemoryRow {
  readonly opening: Opening;
  /** Taken at once only where the text is cut; otherwise when somebody asks. */
  readonly hash: string | undefined;
  closing: Closing | undefined;
  ending: LedgerEntry["ending"];
  /** The claim under which it was opened last. */
  epoch: number | undefined;
  /** The key it holds, as its scope spells it. */
  key: string | undefined;
  /** Waits among the ended rows for its turn to be forgotten. */
  isQueued: boolean;
}

/** What the parts of a ledger in memory share. */
export interface MemoryState {
  readonly rows: Map<string, MemoryRow>;
  readonly keys: Map<string, MemoryRow>;
  readonly mostKeys: number;
  readonly asked: Map<string, ApprovalRecord>;
  /** The newest claim on each run. */
  readonly claims: Map<string, MemoryClaim>;
  readonly held: HeldClaims;
  readonly redactor: Redactor;
  readonly longest: number;
  readonly parts: KeptParts;
  /** Ends an entry; an older one may be forgotten for it. */
  readonly end: (row: MemoryRow, closing: Closing) => void;
  /** Ends an entry as `unknown`. */
  readonly lose: (row: MemoryRow) => void;
}
