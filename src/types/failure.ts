import type { ApprovalRequest } from "./approval.ts";
import { type FailureCode, failures, type Stage } from "./failures.ts";
import type { Issue } from "./json.ts";

export interface FailureFacts {
  readonly availableTools?: readonly string[];
  readonly timeoutMs?: number;
  readonly agentId?: string;
  readonly serverName?: string;
  readonly transport?: string;
  readonly status?: number;
}

/** A failure as plain data. `cause` stays in memory and is never part of ledgers, events or replies. */
export interface Failure extends FailureFacts {
  readonly code: FailureCode;
  readonly message: string;
  readonly tool?: string;
  readonly issues?: readonly Issue[];
  /** For operators: details that the message omits. */
  readonly detail?: string;
  /** For operators: the rules that denied the call. */
  readonly ruleIds?: readonly string[];
  /** The open approval request of `haft.call`; `haft.resume` continues the call. */
  readonly approval?: ApprovalRequest;
  /** Overrides the table, for example for an HTTP status that a retry cannot change. */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  /** The implementation was started, so a side effect is possible. Only this process can set it to false. */
  readonly ran?: boolean;
  /** A remote server claims that the call did not run, which frees no key and permits no retry. */
  readonly claimsNotRun?: boolean;
  /** The request was sent, and its answer was lost or came too late, so the effect is unknown. */
  readonly answerLost?: boolean;
  readonly cause?: unknown;
}

const failureCauses = new WeakMap<Failure, unknown>();

/** Keeps the thrown value out of the printable failure. */
export const attachCause = (failure: Failure, cause: unknown): Failure => {
  if (cause !== undefined) failureCauses.set(failure, cause);
  return failure;
};

export const causeOf = (failure: Failure): unknown => failure.cause ?? failureCauses.get(failure);

/** Other versions of the package may know other codes. */
export const isFailure = (value: unknown): value is Failure => {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Partial<Failure>;
  return typeof code === "string" && Object.hasOwn(failures, code) && typeof message === "string";
};

export const operatorText = ({ message, detail }: Failure): string =>
  detail === undefined || detail === "" || detail.includes("\n") ? message : `${message} ${detail}`;

export const stageOf = (failure: Failure): Stage => failures[failure.code].stage;

/** Whether a retry may help. Whether it is safe depends on the tool. */
export const isRetryable = (failure: Failure): boolean =>
  failure.retryable ?? failures[failure.code].retryable;
