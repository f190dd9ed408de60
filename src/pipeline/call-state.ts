import type * as Clock from "effect/Clock";
import type { Fiber } from "effect/Fiber";
import type { Redactor } from "../base/json/redact.ts";
import type { ImmediateApproval } from "../types/approval.ts";
import type { CallRequest, Permit, RunningCall, ToolFunction } from "../types/call.ts";
import type { LedgerError } from "../types/errors.ts";
import type { ProvenanceNote } from "../types/hydration.ts";
import type { AnyLayer, TimeLimit } from "../types/layer.ts";
import type { Attempt } from "../types/ledger.ts";
import type { Outcome } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import type { Reply } from "../types/reply.ts";
import type { ToolSpec } from "../types/spec.ts";
import type { Registration } from "../types/tool.ts";
import { CallRecorder, type ResumedCallRecord } from "./recorder.ts";

/**
 * Everything that is known of a call. Immutable: each stage answers with a state that says more, and its type is the
 * receipt. Only what must be counted while layers and code run is in the recorder.
 */
export interface CallState {
  readonly request: CallRequest;
  /** The call from inside whose code this one is made. Not in the request, which layers see. */
  readonly parent: RunningCall | undefined;
  readonly onReply: PipelineCallOptions["onReply"];
  readonly recorder: CallRecorder;
  readonly principal: Principal | undefined;
  readonly clock: Clock.Clock;
  /** Of the monotonic clock. */
  readonly startedAt: bigint;
  /** Whether reading and validating is measured, which a call that runs at once does not pay for. */
  readonly isTimed?: boolean;
  /** Why the entry could not be opened, if it could not. */
  readonly ledgerError: LedgerError | undefined;
  /** Found by stage 1, also where it then refuses the arguments. */
  readonly registration?: Registration | undefined;
  /** How the arguments became a value, as far as that was tried. */
  readonly provenance?: ProvenanceNote | undefined;
}

/** How a call comes to be made, besides what it asks for. */
export interface PipelineCallOptions {
  readonly parent?: RunningCall | undefined;
  /** What the ledger is told besides. */
  readonly notes?: readonly string[] | undefined;
  /** What is on record of a call that was stopped and goes on. */
  readonly earlier?: ResumedCallRecord | undefined;
  /** Gets the reply also where whoever waited for it was interrupted. */
  readonly onReply?: ((reply: Reply) => void) | undefined;
}

/** Nothing is known yet but what was asked, by whom, and when. */
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

/** Stage 1: visible to its caller, readable, and valid against its spec. */
export interface HydratedCall extends CallState {
  readonly principal: Principal;
  readonly registration: Registration;
  readonly provenance: ProvenanceNote;
  readonly spec: ToolSpec;
  /** JSON with defaults filled in, frozen: what policy, keys, hashes, approvals and the ledger see. */
  readonly input: unknown;
  /** What the author's schema made of it, where that is something else: for the code alone. */
  readonly transformed: { readonly value: unknown } | undefined;
  /** The arguments are not those that came: repaired, or changed by a person or a layer. */
  readonly isRevised: boolean;
  /** False for a tool without a schema, and for a violation that a lenient tool lets pass. */
  readonly validated: boolean;
}

/** Stage 2: it is settled which code answers. */
export interface BoundCall extends HydratedCall {
  readonly run: ToolFunction;
}

/** Stage 3: allowed, by policy and by the approval layers, and by a person where one was needed. */
export interface PermittedCall extends BoundCall {
  readonly grant: Permit;
  /** Layers that had a say, and have it again when the input changes. */
  readonly approvers: readonly AnyLayer[];
  /** What a person said at once. An answer that came later is in the ledger by itself. */
  readonly approved: ImmediateApproval | undefined;
  /** A person approved it. Policy may still deny it before it starts. */
  readonly isApproved: boolean;
}

/** One start of the code: everything it needs comes from the grant. */
export interface AttemptStart {
  readonly call: PermittedCall;
  readonly env: unknown;
  readonly attempt: Attempt;
  /** A layer right outside of the gate that wants the code stopped earlier than its spec does. */
  readonly limit: TimeLimit | undefined;
  readonly fiber: Fiber<unknown, unknown>;
}

/** Stage 3: a person must say yes to this call before it goes on. */
export interface CallAwaitingApproval {
  readonly kind: "question";
  readonly call: BoundCall;
  readonly reason: string;
  readonly approvers: readonly AnyLayer[];
  /** A yes that was given for all calls like this one does not count: it did not know of this reason. */
  readonly isNew: boolean;
}

/** The call goes no further: what came of it, and as far as it came. */
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
