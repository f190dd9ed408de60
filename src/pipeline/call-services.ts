import type { Effect } from "effect/Effect";
import type { CredentialStore } from "../base/credentials/credentials.ts";
import type { JsonLimits } from "../base/json/limits.ts";
import type { Redactor } from "../base/json/redact.ts";
import type { GuardedPolicy } from "../policy/guard-policy.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { ApprovalStore } from "../types/approval.ts";
import type { RunCounters } from "../types/call.ts";
import type { EventBus } from "../types/event.ts";
import type { AnyLayer } from "../types/layer.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { PendingOutcome } from "../types/outcome.ts";
import type { Reply } from "../types/reply.ts";
import type { Risk } from "../types/spec.ts";
import type { LayerStackLookup } from "./4-layers/layer-stack.ts";
import type { CallAwaitingApproval, PermittedCall } from "./call-state.ts";

/** What a corridor is opened with. */
export interface PipelineOptions {
  readonly registry: ToolRegistry;
  readonly policy: GuardedPolicy;
  readonly ledger: LedgerStore;
  /** Where questions to persons are kept; the ledger's own book where it has one. */
  readonly approvals: ApprovalStore;
  readonly events: EventBus;
  readonly redactor: Redactor;
  /** Looks up named secrets for the code of calls. */
  readonly secret: CredentialStore["secret"];
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
export interface CallServices extends PipelineOptions {
  /** The layers around one tool, with the gate innermost; built once for each tool and place. */
  readonly stackOf: LayerStackLookup;
  /**
   * Code that was stopped to wait for calls of its own goes on at once if one of those was answered meanwhile: whoever
   * answered it found nobody who waits yet.
   */
  readonly goOnIfAnswered: (call: PermittedCall, suspended: PendingOutcome, reply: Reply) => Effect<Reply>;
  /** Calls of this process that wait for a person, by the id of the approval. */
  readonly waiting: Map<string, CallAwaitingApproval>;
  /** Runs of which this process resumes calls on their own, by run id: such calls share one count. */
  readonly resumedRuns: Map<string, ResumedRun>;
}

/** The calls of one run that are resumed at the same time. */
export interface ResumedRun {
  readonly entryIds: Set<string>;
  /** What the run had spent when the first of them was resumed, and what they spend. */
  tally: RunCounters | undefined;
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
