import type { Approval } from "./approvals.ts";
import type { CallLine } from "./calls.ts";
import type { RunLine } from "./runs.ts";
import type { Server } from "./servers.ts";

/** One message of `/live`. At most five come in a second: what happened in between is in one of them. */
export interface LiveMessage {
  /** What `Last-Event-ID` takes. */
  readonly id: string;
  readonly at: number;
  /** How many happened since the message before. */
  readonly counts: { readonly began: number; readonly ended: number; readonly failed: number };
  /** The newest 50 of the calls that began or ended, newest first. */
  readonly calls: readonly CallLine[];
  /** There were more. */
  readonly isCut: boolean;
  readonly approvals: readonly Approval[];
  readonly runs: readonly RunLine[];
  readonly servers: readonly Server[];
  /** Too much happened while nobody listened: what is shown should be asked for again. */
  readonly isBehind?: true;
}

/** How far `/verify` has come: events `progress`, and one `done` or `failed` at the end. */
export interface VerifyProgress {
  readonly done: number;
  readonly total: number;
}

/** What came of following the chain. */
export interface VerifyResult {
  readonly ok: boolean;
  readonly rows: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly broken?: { readonly seq: number; readonly why: string };
  readonly unproved?: string;
  readonly unkeyed?: { readonly rows: number; readonly from: number; readonly to: number };
  readonly keys: readonly { readonly keyId: string; readonly rows: number; readonly isHere: boolean }[];
  readonly anchor?: { readonly number: number; readonly at: number; readonly hash: string };
  /** Name of the file next to the ledger that the key was read from: whoever made both can have written every row. */
  readonly keyFile?: string;
}
