import type * as Clock from "effect/Clock";
import type { Effect } from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import type { CredentialStore } from "../base/credentials/credentials.ts";
import type { JsonLimits } from "../base/json/json-problem.ts";
import type { Redactor } from "../base/json/redact.ts";
import type { GuardedPolicy } from "../policy/guard-policy.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { ApprovalStore, ImmediateApproval } from "../types/approval.ts";
import type { CallRequest, Permit, RunCounters, RunningCall, ToolFunction } from "../types/call.ts";
import type { LedgerError } from "../types/errors.ts";
import type { EventBus } from "../types/event.ts";
import type { ProvenanceNote } from "../types/hydration.ts";
import type { LedgerStore } from "../types/ledger.ts";
import type { Outcome, PendingOutcome, Reply } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import type { AnyLayer, Registration, Risk, TimeLimit, ToolSpec } from "../types/tool.ts";
import type { LayerStackLookup } from "./4-layers/gate.ts";
import { type AttemptRecord, CallRecorder, type ResumedCallRecord } from "./recorder.ts";

/**
 * Everything known about a call. Immutable: each stage returns a more specific state, whose type proves that
 * the stage passed. Counters that change while layers and code run are in the recorder.
 */
export interface CallState {
  readonly request: CallRequest;
  readonly parent: RunningCall | undefined;
  readonly onReply: PipelineCallOptions["onReply"];
  readonly recorder: CallRecorder;
  readonly principal: Principal | undefined;
  readonly clock: Clock.Clock;
  readonly startedAt: bigint;
  readonly isTimed?: boolean;
  readonly ledgerError: LedgerError | undefined;
  readonly registration?: Registration | undefined;
  readonly provenance?: ProvenanceNote | undefined;
}

export interface PipelineCallOptions {
  readonly parent?: RunningCall | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly earlier?: ResumedCallRecord | undefined;
  /** Also receives the reply if the waiting fiber was interrupted. */
  readonly onReply?: ((reply: Reply) => void) | undefined;
}

export const newCallState = (
  { redactor }: { readonly redactor: Redactor },
  request: CallRequest,
  principal: CallState["principal"],
  clock: Clock.Clock,
  { parent, notes, earlier, onReply }: PipelineCallOptions = {},
): CallState => ({
  request,
  parent,
  onReply,
  recorder: new CallRecorder(request.scope.tally, redactor.text, earlier ?? (notes && { notes })),
  principal,
  clock,
  startedAt: clock.monotonicTimeNanosUnsafe(),
  ledgerError: undefined,
});

/** After stage 1: visible to its caller, readable, and valid against its spec. */
export interface HydratedCall extends CallState {
  readonly principal: Principal;
  readonly registration: Registration;
  readonly provenance: ProvenanceNote;
  readonly spec: ToolSpec;
  /** JSON with defaults filled in, frozen; used by policy, keys, hashes, approvals and the ledger. */
  readonly input: unknown;
  readonly transformed: { readonly value: unknown } | undefined;
  /** The arguments were repaired, or changed by an approver or a layer. */
  readonly isRevised: boolean;
  /** False for a tool without a schema, and for a violation that a lenient tool accepts. */
  readonly validated: boolean;
}

/** After stage 2: the implementation is chosen. */
export interface BoundCall extends HydratedCall {
  readonly run: ToolFunction;
}

/** After stage 3: allowed by policy and approval layers, and approved if required. */
export interface PermittedCall extends BoundCall {
  readonly grant: Permit;
  readonly approvers: readonly AnyLayer[];
  /** An immediate answer of an approver. A later answer is already in the ledger. */
  readonly approved: ImmediateApproval | undefined;
  /** An approver allowed the call. Policy can still deny it before it starts. */
  readonly isApproved: boolean;
}

export interface AttemptStart {
  readonly call: PermittedCall;
  readonly env: unknown;
  readonly attempt: AttemptRecord;
  /** A shorter time limit set by the layer directly around the gate. */
  readonly limit: TimeLimit | undefined;
  readonly fiber: Fiber<unknown, unknown>;
}

export interface CallAwaitingApproval {
  readonly kind: "question";
  readonly call: BoundCall;
  readonly reason: string;
  readonly approvers: readonly AnyLayer[];
  /** Grants do not cover this question, because they were given without knowing its reason. */
  readonly isNew: boolean;
}

export interface StoppedCall {
  readonly kind: "stopped";
  readonly state: CallState;
  readonly outcome: Outcome;
}

export const stopCall = (state: CallState, outcome: Outcome): StoppedCall => ({
  kind: "stopped",
  state,
  outcome,
});

export const isStopped = (value: object): value is StoppedCall =>
  (value as { readonly kind?: unknown }).kind === "stopped";

export const isAwaitingApproval = (value: object): value is CallAwaitingApproval =>
  (value as { readonly kind?: unknown }).kind === "question";

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

interface CallSettings {
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
