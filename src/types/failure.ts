import type { ApprovalRequest } from "./approval.ts";
import { type FailureCode, failures, type Stage } from "./failures.ts";
import type { Issue } from "./json.ts";

/** What a failure is about, for programs: its message says the same to readers. */
export interface FailureFacts {
  /** Of a name that means no tool: names that the caller could have used, at most a hundred. */
  readonly availableTools?: readonly string[];
  /** Of a call that took too long: how long it could have taken. */
  readonly timeoutMs?: number;
  /** Of a call that is not allowed: whose. */
  readonly agentId?: string;
  /** Of an MCP server: which, and how it was spoken to. */
  readonly serverName?: string;
  readonly transport?: string;
  /** What a service answered over HTTP. */
  readonly status?: number;
}

/** A failure as plain data. `cause` stays in memory: no ledger, event or reply carries it. */
export interface Failure extends FailureFacts {
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

const failureCauses = new WeakMap<Failure, unknown>();

/** Keeps what was thrown for the program that made the call, where no printed failure shows it. */
export const attachCause = (failure: Failure, cause: unknown): Failure => {
  if (cause !== undefined) failureCauses.set(failure, cause);
  return failure;
};

export const causeOf = (failure: Failure): unknown => failure.cause ?? failureCauses.get(failure);

/** A code of this table with a message; another version of this package may have others. */
export const isFailure = (value: unknown): value is Failure => {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Partial<Failure>;
  return typeof code === "string" && Object.hasOwn(failures, code) && typeof message === "string";
};

/** What operators read of a failure: its message, and the reason or the remedy where that is one line. Models read less. */
export const operatorText = ({ message, detail }: Failure): string =>
  detail === undefined || detail === "" || detail.includes("\n") ? message : `${message} ${detail}`;

export const stageOf = (failure: Failure): Stage => failures[failure.code].stage;

/** Whether trying again may help. It says nothing about whether it is safe: that is up to the tool. */
export const isRetryable = (failure: Failure): boolean =>
  failure.retryable ?? failures[failure.code].retryable;
