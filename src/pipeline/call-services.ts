import type { Effect } from "effect/Effect";
import type { ToolRegistry } from "../catalog/registry.ts";
import type { JsonLimits } from "../json/limits.ts";
import type { Redactor } from "../json/redact.ts";
import type { GuardedPolicy } from "../policy/guard.ts";
import type { ApprovalBook } from "../words/approval.ts";
import type { EventBus } from "../words/event.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { LedgerStore } from "../words/ledger.ts";
import type { Pending } from "../words/outcome.ts";
import type { Reply } from "../words/reply.ts";
import type { Risk } from "../words/spec.ts";
import type { StackOf } from "./4-layers/stack.ts";
import type { GrantedCall, UnansweredCall } from "./call-state.ts";

/** What a corridor is opened with. */
export interface CorridorOptions {
  readonly registry: ToolRegistry;
  readonly policy: GuardedPolicy;
  readonly ledger: LedgerStore;
  /** Where questions to persons are kept; the ledger's own book where it has one. */
  readonly approvals: ApprovalBook;
  readonly events: EventBus;
  readonly redactor: Redactor;
  /** The operator's layers: outermost, so that the operator has the last word. */
  readonly layers: readonly AnyLayer[];
  readonly settings: CallSettings;
  /** Unguessable: whoever knows an approval's id may answer it. */
  readonly newId: () => string;
  /** What every corridor of one runtime has in common, and no other has. */
  readonly runtime: object;
  /** False once the runtime is closed: what was granted before starts nothing any more. */
  readonly isOpen: () => boolean;
}

/** What every part of the corridor works with. Stages take what they need and know nothing of each other. */
export interface CallServices extends CorridorOptions {
  /** The layers around one tool, with the gate innermost; built once for each tool and place. */
  readonly stackOf: StackOf;
  /**
   * Code that was stopped to wait for calls of its own goes on at once if one of those was answered meanwhile: whoever
   * answered it found nobody who waits yet.
   */
  readonly goOnIfAnswered: (call: GrantedCall, suspended: Pending, reply: Reply) => Effect<Reply>;
  /** Calls of this process that wait for a person, by the id of the approval. */
  readonly waiting: Map<string, UnansweredCall>;
}

export interface CallSettings {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  /** Whether a read-only tool may run while the ledger cannot be written. */
  readonly readsWithoutLedger: boolean;
  readonly maxResultBytes: number;
  /** How many pictures, sounds and files a result may carry besides its value, and of how many bytes together. */
  readonly maxMediaParts: number;
  readonly maxMediaBytes: number;
  /** Calls of these risks are on disk before they start, even if the power goes. */
  readonly fullSync: readonly Risk[];
  /** How long a question to a person stays open. */
  readonly approvalsExpireMs: number;
  readonly json: JsonLimits;
}
