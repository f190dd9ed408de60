import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { LedgerError } from "./errors.ts";
import type { Principal } from "./principal.ts";

/** What a person is asked. Bound to the exact input and definition; another input needs another request. */
export interface ApprovalRequest {
  /** What `haft.resume` and `haft approve` take. */
  readonly id: string;
  readonly callId: string;
  readonly runId?: string;
  readonly tool: string;
  /** Who wants the call. Only this caller, or who lent it its right, can go on with it. */
  readonly principal: Principal;
  /** The arguments as they were validated: what runs if a person agrees. */
  readonly input: unknown;
  /** Why a person is needed: the rule, the risk, the taint or the layer that asks. */
  readonly reason: string;
  /** In milliseconds since 1970; an answer after `expiresAt` counts for nothing. */
  readonly askedAt?: number;
  readonly expiresAt?: number;
  /** The trace of the call, where calls are traced: it is linked when it goes on. */
  readonly trace?: string;
  /** Of code that was stopped: the questions about its calls. It goes on once one of them is answered, and needs no answer itself. */
  readonly waitsFor?: readonly string[];
}

/** For whom a yes holds from now on: this run, or this caller's whole session. */
export type ApprovalScope = "run" | "session";

/** What a person may answer: yes, no, or yes with other arguments. */
export type ApprovalDecision =
  | {
      readonly kind: "allow";
      /** Further calls of this tool, as it is defined now, need no person either. */
      readonly always?: ApprovalScope;
    }
  | { readonly kind: "deny"; readonly reason?: string }
  /** Goes on with another input, which is validated and authorized like the first. */
  | { readonly kind: "edit"; readonly input: unknown };

/** A person's word that came at once, for the record. */
export interface ImmediateApproval {
  readonly request: ApprovalRequest;
  readonly decision: ApprovalDecision;
}

/** What an approval layer says of one call before anything runs. `ask` wants a person. */
export type ApprovalAnswer = ApprovalDecision | { readonly kind: "ask"; readonly reason?: string };

/** Puts a request before a person. `undefined` means the answer comes later: the call is pending. */
export interface ApproverService {
  readonly ask: (request: ApprovalRequest) => Effect<ApprovalDecision | undefined>;
}

/** Nobody by default: what needs a person is refused, unless the ledger can keep the question. */
export const Approver: Context.Reference<ApproverService | undefined> = Context.Reference<
  ApproverService | undefined
>("haft/Approver", { defaultValue: () => undefined });

/**
 * `waiting` for an answer; `answered` and not gone on with yet; `used` by the one who went on with it. `void` was
 * answered, but for a tool or arguments that were no longer the same.
 */
export type ApprovalStatus = "waiting" | "answered" | "used" | "expired" | "void";

/** A request as it is kept, with all that an answer is bound to. */
export interface ApprovalRecord {
  /** What `haft.resume` and `haft approve` take. */
  readonly id: string;
  /** The call's entry in the ledger. */
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  /** Full name of the tool, and the name as the model wrote it. */
  readonly tool: string;
  readonly rawTool: string;
  /** Who wants the call. Only this caller, or who lent it its right, can go on with it. */
  readonly principal: Principal;
  /** The arguments as a person sees them: redacted in what is read back. */
  readonly input: unknown;
  /** Hash of the canonical arguments: other arguments make the answer void. */
  readonly inputHash: string;
  /** Hash of the tool's spec: a changed tool makes the answer void. */
  readonly definition: string;
  /** Why a person is needed. */
  readonly reason: string;
  readonly askedAt: number;
  /** An answer after this counts for nothing; `approvals.expireAfterMs` after it was asked. */
  readonly expiresAt: number | undefined;
  readonly status: ApprovalStatus;
  /** The decision, once there is one. An edited input is exact here. */
  readonly decision?: ApprovalDecision;
  /** Whoever said so, as they called themselves: nobody checks it. */
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  /** The trace in which the call began to wait, as `traceparent` spells it. */
  readonly trace?: string;
  /** Of code that was stopped: the questions about its calls. It goes on once one of them is answered, and needs no answer itself. */
  readonly waitsFor?: readonly string[];
}

/** Which approvals are wanted. */
export interface ApprovalQuery {
  readonly status?: ApprovalStatus;
  readonly runId?: string;
  readonly tool?: string;
  readonly limit?: number;
}

/** A person's answer to an approval, as it is recorded. */
export interface RecordedAnswer {
  readonly decision: ApprovalDecision;
  /** Who said so, for the record. */
  readonly by?: string | undefined;
  readonly at: number;
}

/** Whether this answer is the one that counts. */
export type AnswerStatus = "answered" | "unknown" | "already" | "expired";

/** Whoever gets `taken` goes on with the call, and nobody else ever does. */
export type TakeApprovalResult =
  | { readonly kind: "taken"; readonly record: ApprovalRecord }
  | { readonly kind: "unknown" | "waiting" | "used" | "expired" | "void" };

/** What persons were asked and what they said. Of several who answer or take at once, one wins. */
export interface ApprovalStore {
  /** Outlives the process, so that a question may wait for whoever answers it later. */
  readonly isDurable: boolean;
  readonly find: (id: string) => Effect<ApprovalRecord | undefined, LedgerError>;
  readonly list: (query?: ApprovalQuery) => Effect<readonly ApprovalRecord[], LedgerError>;
  readonly answer: (id: string, answering: RecordedAnswer) => Effect<AnswerStatus, LedgerError>;
  /** Goes on: from `answered` to `used`, written down before anything runs. One that expired unanswered is closed for good. */
  readonly take: (id: string, at: number) => Effect<TakeApprovalResult, LedgerError>;
  /** Found at the last moment to be about another tool or other arguments than were approved. */
  readonly annul: (id: string, why: string, at: number) => Effect<void, LedgerError>;
  /** A yes that holds for further calls like this one. */
  readonly standing: (call: GrantQuery) => Effect<ApprovalRecord | undefined, LedgerError>;
  /** Somebody who is not its caller tried an id; nothing happens but that it is on record. */
  readonly refuse: (id: string, by: Principal | undefined, at: number) => Effect<void, LedgerError>;
}

export interface GrantQuery {
  readonly tool: string;
  readonly definition: string;
  readonly runId: string;
  readonly principal: Principal;
  readonly at: number;
}

/** Whether a person is still asked something. Code that was stopped waits for answers about its calls, and is asked nothing itself. */
export const hasOpenApproval = (asked: readonly ApprovalRecord[], at: number): boolean =>
  asked.some(
    ({ status, expiresAt, waitsFor }) =>
      status === "waiting" && waitsFor === undefined && (expiresAt === undefined || expiresAt > at),
  );
