import type { CallLine, TaintSource } from "./calls.ts";
import type { Caller, Text } from "./shared.ts";

/** How a question stands: `answered` is not gone on with yet, `used` is, and `void` was about another tool or other arguments. */
export type ApprovalState = "waiting" | "answered" | "used" | "expired" | "void";

/** What a person was asked, as a list shows it. */
export interface Approval {
  readonly id: string;
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  readonly tool: string;
  readonly caller: Caller;
  /** Why a person is needed. */
  readonly reason: string;
  /** The arguments as JSON text, masked. */
  readonly input: Text;
  readonly askedAt: number;
  readonly expiresAt?: number;
  readonly status: ApprovalState;
  readonly decision?: "allow" | "deny" | "edit";
  /** What a person wrote in place of the arguments, as JSON text, masked. */
  readonly edited?: Text;
  readonly always?: "run" | "session";
  readonly denyReason?: string;
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  /** Questions about calls of its code. It goes on once one of them is answered, and takes no answer itself. */
  readonly waitsFor?: readonly string[];
}

/** An approval with everything that a person decides by. */
export interface ApprovalDetail {
  readonly approval: Approval;
  /** The masked arguments as a value, where they are JSON: what a form begins with. */
  readonly value?: unknown;
  /** Places of `value` that are masked. An edit that sends the mask back is given the exact text again. */
  readonly masked: readonly string[];
  readonly call?: CallLine;
  readonly decision?: string;
  readonly ruleIds: readonly string[];
  readonly tool?: {
    readonly description: string;
    readonly risk: string;
    readonly input: unknown;
    readonly readOnly: boolean;
    readonly destructive: boolean;
    /** It is not as it was when the question was asked: an answer would be void. */
    readonly hasChanged: boolean;
  };
  /** Whose untrusted words its run had read by then. */
  readonly taints: readonly TaintSource[];
  /** What the tool did before, newest first. */
  readonly before: readonly CallLine[];
  /** May the answer hold for the caller's whole session. */
  readonly hasSession: boolean;
}

/** The body of `POST /approvals/{id}/answer`. */
export interface AnswerBody {
  readonly decision: "allow" | "deny" | "edit";
  /** Of an edit: the arguments instead. */
  readonly input?: unknown;
  /** Of a no: what the model is told. */
  readonly reason?: string;
  /** Of a yes: further calls of the tool need nobody either. */
  readonly always?: "run" | "session";
}

/** The body of `POST /approvals/answer`: one answer for several. */
export interface AnswersBody extends AnswerBody {
  readonly ids: readonly string[];
}

/** What came of an answer. */
export interface AnswerResult {
  readonly id: string;
  readonly answered: boolean;
  readonly approval?: Approval;
  /** Why it was not taken: somebody was faster, it is too late, or there is no such question. */
  readonly why?: "already_answered" | "expired" | "not_found" | "unfit";
  /** In words, with what goes on from here. */
  readonly message: string;
  /** Who goes on with the call. */
  readonly goesOn?: "here" | "worker" | "session" | "chat" | "client" | "later" | "nobody";
}

/** What came of each of several answers. */
export interface AnswerResults {
  readonly results: readonly AnswerResult[];
}
