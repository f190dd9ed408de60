import type { Approval } from "./approvals.ts";
import type { CallLine } from "./calls.ts";
import type { RunLine } from "./runs.ts";
import type { Server } from "./servers.ts";

/** A message of `/live`, at most five per second. */
export interface LiveMessage {
  /** Value for `Last-Event-ID`. */
  readonly id: string;
  readonly at: number;
  /** Changes since the previous message. */
  readonly counts: { readonly began: number; readonly ended: number; readonly failed: number };
  /** The latest 50 calls that started or ended, newest first. */
  readonly calls: readonly CallLine[];
  /** There were more calls. */
  readonly isCut: boolean;
  readonly approvals: readonly Approval[];
  readonly runs: readonly RunLine[];
  readonly servers: readonly Server[];
  /** Too many changes were missed; request the data again. */
  readonly isBehind?: true;
}

/** Progress of `/verify`: `progress` events, then one `done` or `failed`. */
export interface VerifyProgress {
  readonly done: number;
  readonly total: number;
}

/** Result of verifying the hash chain. */
export interface VerifyResult {
  readonly ok: boolean;
  readonly rows: number;
  readonly head: { readonly seq: number; readonly hash: string };
  readonly broken?: { readonly seq: number; readonly why: string };
  readonly unproved?: string;
  readonly unkeyed?: { readonly rows: number; readonly from: number; readonly to: number };
  readonly keys: readonly { readonly keyId: string; readonly rows: number; readonly isHere: boolean }[];
  readonly anchor?: { readonly number: number; readonly at: number; readonly hash: string };
  /** Key file next to the ledger: write access to both allows forging rows. */
  readonly keyFile?: string;
}
