import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";
import type { Principal } from "./principal.ts";

/**
 * A request to approve a call, bound to its exact input and definition. Another input needs another request.
 */
export interface ApprovalRequest {
  /** Id that `haft.resume` and `haft approve` take. */
  readonly id: string;
  readonly callId: string;
  readonly runId?: string;
  readonly tool: string;
  /** The caller. Only this caller or its delegators can resume the call. */
  readonly principal: Principal;
  /** The validated arguments, which run if the request is approved. */
  readonly input: unknown;
  /** Why approval is required: the rule, risk, taint or layer. */
  readonly reason: string;
  /** In milliseconds since 1970. Answers after `expiresAt` are ignored. */
  readonly askedAt?: number;
  readonly expiresAt?: number;
  /** Trace of the call, which the resumed call links to. */
  readonly trace?: string;
  /** For suspended code: the requests of its own calls. It resumes once one of them is answered. */
  readonly waitsFor?: readonly string[];
}

/** Where a grant is valid: this run, or the caller's whole session. */
export type ApprovalScope = "run" | "session";

/** Answer of an approver: allow, deny, or allow with other arguments. */
export type ApprovalDecision =
  | {
      readonly kind: "allow";
      /** Grants further calls of this tool, as long as its definition does not change. */
      readonly always?: ApprovalScope;
    }
  | { readonly kind: "deny"; readonly reason?: string }
  /** Continues with another input, which is validated and authorized again. */
  | { readonly kind: "edit"; readonly input: unknown };

export interface ImmediateApproval {
  readonly request: ApprovalRequest;
  readonly decision: ApprovalDecision;
}

/** Answer of an approval layer before anything runs. `ask` requires approval. */
export type ApprovalAnswer = ApprovalDecision | { readonly kind: "ask"; readonly reason?: string };

/** Requests approvals. `undefined` means that the answer comes later, so the call is pending. */
export interface ApproverService {
  readonly ask: (request: ApprovalRequest) => Effect<ApprovalDecision | undefined>;
}

/**
 * Undefined by default: calls that require approval are then refused, unless the ledger can store the
 * request.
 */
export const Approver: Context.Reference<ApproverService | undefined> = Context.Reference<
  ApproverService | undefined
>("haft/Approver", { defaultValue: () => undefined });

/**
 * `used`: the call was resumed with the answer. `void`: answered, but the tool or its arguments had changed.
 */
export type ApprovalStatus = "waiting" | "answered" | "used" | "expired" | "void";

/** A stored approval request, with everything that its answer is bound to. */
export interface ApprovalRecord {
  /** Id that `haft.resume` and `haft approve` take. */
  readonly id: string;
  /** The call's entry in the ledger. */
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  /** Full name of the tool, and the name as the model wrote it. */
  readonly tool: string;
  readonly rawTool: string;
  /** The caller. Only this caller or its delegators can resume the call. */
  readonly principal: Principal;
  /** The arguments as the approver sees them: redacted when read back. */
  readonly input: unknown;
  /** Hash of the canonical arguments; a mismatch voids the answer. */
  readonly inputHash: string;
  /** Hash of the tool's spec; a mismatch voids the answer. */
  readonly definition: string;
  /** Why approval is required. */
  readonly reason: string;
  readonly askedAt: number;
  /** Answers after this time are ignored. */
  readonly expiresAt: number | undefined;
  readonly status: ApprovalStatus;
  /** The decision. An edited input is exact here. */
  readonly decision?: ApprovalDecision;
  /** Name that the approver gave; not verified. */
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  /** `traceparent` of the trace in which the call started to wait. */
  readonly trace?: string;
  /** For suspended code: the requests of its own calls. It resumes once one of them is answered. */
  readonly waitsFor?: readonly string[];
}

/** Filters for approvals. */
export interface ApprovalQuery {
  readonly status?: ApprovalStatus;
  readonly runId?: string;
  readonly tool?: string;
  readonly limit?: number;
}

/** An answer to an approval request, as it is recorded. */
export interface RecordedAnswer {
  readonly decision: ApprovalDecision;
  /** Name of the approver, for the record. */
  readonly by?: string | undefined;
  readonly at: number;
}

/** Whether the answer was accepted. */
export type AnswerStatus = "answered" | "unknown" | "already" | "expired";

/** Only one caller gets `taken` and resumes the call. */
export type TakeApprovalResult =
  | { readonly kind: "taken"; readonly record: ApprovalRecord }
  | { readonly kind: "unknown" | "waiting" | "used" | "expired" | "void" };

/** Stores approval requests and their answers. Of several concurrent answers or takes, one wins. */
export interface ApprovalStore {
  /** The store outlives the process, so that requests can be answered later. */
  readonly isDurable: boolean;
  readonly find: (id: string) => Effect<ApprovalRecord | undefined, LedgerError>;
  readonly list: (query?: ApprovalQuery) => Effect<readonly ApprovalRecord[], LedgerError>;
  readonly answer: (id: string, answering: RecordedAnswer) => Effect<AnswerStatus, LedgerError>;
  /** Moves an answered request to `used`, recorded before anything runs. An expired request is closed. */
  readonly take: (id: string, at: number) => Effect<TakeApprovalResult, LedgerError>;
  /** Voids an answer, because the tool or its arguments have changed. */
  readonly annul: (id: string, why: string, at: number) => Effect<void, LedgerError>;
  /** Finds a grant that covers this call. */
  readonly standing: (call: GrantQuery) => Effect<ApprovalRecord | undefined, LedgerError>;
  /** Records that a caller without access used an id. */
  readonly refuse: (id: string, by: Principal | undefined, at: number) => Effect<void, LedgerError>;
}

export interface GrantQuery {
  readonly tool: string;
  readonly definition: string;
  readonly runId: string;
  readonly principal: Principal;
  readonly at: number;
}

/** Skips requests of suspended code, which need no answer. */
export const hasOpenApproval = (asked: readonly ApprovalRecord[], at: number): boolean =>
  asked.some(
    ({ status, expiresAt, waitsFor }) =>
      status === "waiting" && waitsFor === undefined && (expiresAt === undefined || expiresAt > at),
  );
