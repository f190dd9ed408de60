import type { CallLine, TaintSource } from "./calls.ts";
import type { Caller, Text } from "./shared.ts";

/** `answered`: not resumed yet. `used`: resumed. `void`: the tool or the arguments have changed. */
export type ApprovalState = "waiting" | "answered" | "used" | "expired" | "void";

/** An approval request. */
export interface Approval {
  readonly id: string;
  readonly entryId: string;
  readonly callId: string;
  readonly runId: string;
  readonly tool: string;
  readonly caller: Caller;
  /** Why approval is required. */
  readonly reason: string;
  /** Arguments as masked JSON text. */
  readonly input: Text;
  readonly askedAt: number;
  readonly expiresAt?: number;
  readonly status: ApprovalState;
  readonly decision?: "allow" | "deny" | "edit";
  /** Edited arguments as masked JSON text. */
  readonly edited?: Text;
  readonly always?: "run" | "session";
  readonly denyReason?: string;
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  /** Approvals of nested calls that this call waits for. It takes no decision itself. */
  readonly waitsFor?: readonly string[];
}

/** An approval with everything needed for a decision. */
export interface ApprovalDetail {
  readonly approval: Approval;
  /** Masked arguments as a value, for a form. */
  readonly value?: unknown;
  /** JSON pointers of masked values. Unchanged masks in an edit are replaced by the original text. */
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
    /** The tool has changed since the request, so a decision would be void. */
    readonly hasChanged: boolean;
  };
  /** Tools whose untrusted content the run had read by then. */
  readonly taints: readonly TaintSource[];
  /** Earlier calls of the tool, newest first. */
  readonly before: readonly CallLine[];
  /** Whether a grant for the caller's session is possible. */
  readonly hasSession: boolean;
}

/** The body of `POST /approvals/{id}/answer`. */
export interface AnswerBody {
  readonly decision: "allow" | "deny" | "edit";
  /** Edited arguments, for `edit`. */
  readonly input?: unknown;
  /** Text for the model, for `deny`. */
  readonly reason?: string;
  /** Grants further calls of the tool, for `allow`. */
  readonly always?: "run" | "session";
}

/** The body of `POST /approvals/answer`. */
export interface AnswersBody extends AnswerBody {
  readonly ids: readonly string[];
}

/** Result of an answer. */
export interface AnswerResult {
  readonly id: string;
  readonly answered: boolean;
  readonly approval?: Approval;
  /** Why the answer was rejected. */
  readonly why?: "already_answered" | "expired" | "not_found" | "unfit";
  /** Describes the result and what happens next. */
  readonly message: string;
  /** Where the call continues. */
  readonly goesOn?: "here" | "worker" | "session" | "chat" | "client" | "later" | "nobody";
}

/** Results of several answers. */
export interface AnswerResults {
  readonly results: readonly AnswerResult[];
}
