import type { ApprovalRequest } from "./approval.ts";
import { type FailureCode, failures, type Stage } from "./failures.ts";
import type { Issue } from "./json.ts";

/** A failure as plain data. `cause` stays in memory: no ledger, event or reply carries it. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly tool?: string;
  readonly issues?: readonly Issue[];
  /** For operators: what the message leaves out. */
  readonly detail?: string;
  /** For operators: the rules that decided against the call. */
  readonly ruleIds?: readonly string[];
  /** What a person is asked, while `haft.call` waits for the answer: `haft.resume` goes on with it. */
  readonly approval?: ApprovalRequest;
  /** Overrides the row, as for an HTTP status that will not change by asking again. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  /** The implementation was started, so a side effect may have happened. Only this side says that nothing did. */
  readonly ran?: boolean;
  /** A remote server claimed that it had not run. It may be wrong: this frees no key and permits no retry. */
  readonly claimsNotRun?: boolean;
  readonly cause?: unknown;
}

/** A code of this table with a message; another version of this package may have others. */
export const isFailure = (value: unknown): value is Failure => {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Partial<Failure>;
  return typeof code === "string" && Object.hasOwn(failures, code) && typeof message === "string";
};

export const stageOf = (failure: Failure): Stage => failures[failure.code].stage;

/** Whether trying again may help. It says nothing about whether it is safe: that is up to the tool. */
export const isRetryable = (failure: Failure): boolean =>
  failure.retryable ?? failures[failure.code].retryable;
