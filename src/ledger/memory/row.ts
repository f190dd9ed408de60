import type { Redactor } from "../../json/redact.ts";
import type { ApprovalRecord } from "../../words/approval.ts";
import type { Closing, LedgerEntry, Opening } from "../../words/ledger.ts";

export interface MemoryRow {
  readonly opening: Opening;
  /** Taken at once only where the text is cut; otherwise when somebody asks. */
  readonly hash: string | undefined;
  closing: Closing | undefined;
  ending: LedgerEntry["ending"];
  /** The key it holds, as its scope spells it. */
  key: string | undefined;
}

/** What the parts of a ledger in memory share. */
export interface MemoryState {
  readonly rows: Map<string, MemoryRow>;
  readonly keys: Map<string, MemoryRow>;
  readonly mostKeys: number;
  readonly asked: Map<string, ApprovalRecord>;
  readonly redactor: Redactor;
  readonly longest: number;
}
