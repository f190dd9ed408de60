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

export interface PipelineOptions {
  readonly registry: ToolRegistry;
  readonly policy: GuardedPolicy;
  readonly ledger: LedgerStore;
  readonly approvals: ApprovalStore;
  readonly events: EventBus;
  readonly redactor: Redactor;
  readonly secret: CredentialStore["secret"];
  readonly layers: readonly AnyLayer[];
  readonly settings: CallSettings;
  /** Unguessable: knowing an approval's id can be enough to answer it. */
  readonly newId: () => string;
  readonly runtime: object;
  readonly isOpen: () => boolean;
}

/** Dependencies of the pipeline. Stages take what they need and do not know each other. */
export interface CallServices extends PipelineOptions {
  readonly stackOf: LayerStackLookup;
  /** Resumes a suspended call if one of its own calls was answered while it was being suspended. */
  readonly resumeIfAnswered: (call: PermittedCall, suspended: PendingOutcome, reply: Reply) => Effect<Reply>;
  readonly pendingCalls: Map<string, CallAwaitingApproval>;
  /** Runs with calls that this process resumes individually, by run id. */
  readonly resumedRuns: Map<string, ResumedRun>;
}

export interface ResumedRun {
  readonly entryIds: Set<string>;
  tally: RunCounters | undefined;
}

export interface CallSettings {
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly readsWithoutLedger: boolean;
  readonly maxResultBytes: number;
  readonly maxMediaParts: number;
  readonly maxMediaBytes: number;
  readonly fullSync: readonly Risk[];
  readonly approvalsExpireMs: number;
  readonly json: JsonLimits;
}
