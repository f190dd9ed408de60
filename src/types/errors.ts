import * as Data from "effect/Data";
import type { AgentResponse } from "./agent.ts";
import type { ApprovalRequest } from "./approval.ts";
import { causeOf, type Failure, isRetryable } from "./failure.ts";
import { type ErrorName, type FailureCode, failures } from "./failures.ts";
import type { Issue } from "./json.ts";

const brand: unique symbol = Symbol.for("haft/ToolError") as never;

type FailureDetails = Partial<Omit<Failure, "code" | "message">>;

/** Kept out of the error's own properties so that loggers do not print them. */
const hiddenCauses = new WeakMap<object, unknown>();

const inputs = new WeakMap<object, unknown>();

export const withInput = <E extends ToolError>(error: E, input: unknown): E => {
  inputs.set(error, input);
  return error;
};

/** The error of the promise API; its subclasses correspond to the rows of the failure table. */
export class ToolError extends Data.Error<{ readonly message: string; readonly cause?: unknown }> {
  readonly [brand] = true;
  readonly _tag: string = "ToolError";
  readonly failure: Failure;
  /** For a failed run: the conversation until the failure. */
  readonly response?: AgentResponse;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super({ message, ...(details.cause === undefined ? {} : { cause: details.cause }) });
    this.failure = { code, message, ...details };
    // Loggers group by name, so it must not depend on minified class names.
    this.name = failures[code].error;
  }

  get code(): FailureCode {
    return this.failure.code;
  }

  /** HTTP status that a service returned, if that was the failure. */
  get status(): number | undefined {
    return this.failure.status;
  }

  get toolName(): string | undefined {
    return this.failure.tool;
  }

  /** The MCP server that the failure is about. */
  get serverName(): string | undefined {
    return this.failure.serverName;
  }

  /** Transport of the MCP server: `stdio`, `http`, `sse` or `websocket`. */
  get transport(): string | undefined {
    return this.failure.transport;
  }

  get retryable(): boolean {
    return isRetryable(this.failure);
  }

  /** Also true for errors from another copy of this package. */
  static is(value: unknown): value is ToolError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

const toParseError = ({ code, message, issues = [] }: Failure): Error | undefined => {
  if (code === "unreadable_input") return new SyntaxError(message);
  if (issues.length === 0) return undefined;
  const text = issues.map((issue) => issue.message).join("\n");
  return Object.assign(new Error(text), { name: "SchemaError", issues });
};

Object.defineProperty(ToolError.prototype, "cause", {
  configurable: true,
  get(this: ToolError) {
    if (!hiddenCauses.has(this)) hiddenCauses.set(this, toParseError(this.failure));
    return hiddenCauses.get(this);
  },
  set(this: object, value: unknown) {
    Object.defineProperty(this, "cause", { configurable: true, writable: true, value });
  },
});

/** No tool has the name, or several have it. */
export class ToolNotFoundError extends ToolError {
  override readonly _tag = "ToolNotFoundError";
  /** Up to 100 names that the caller could have used. */
  get availableTools(): readonly string[] {
    return this.failure.availableTools ?? [];
  }
}
/** The model's output is not a readable call, or its arguments are not JSON. */
export class ToolHydrationError extends ToolError {
  override readonly _tag = "ToolHydrationError";
}
/** The arguments do not fit the schema. The properties describe the first issue. */
export class ToolInputValidationError extends ToolError {
  override readonly _tag = "ToolInputValidationError";
  get parameter(): string | undefined {
    return this.first?.pointer.slice(1);
  }
  get expected(): string | undefined {
    return this.first?.expected;
  }
  get received(): string | undefined {
    return this.first?.received;
  }
  private get first(): Issue | undefined {
    return this.failure.issues?.[0];
  }
}
/** The tool's result does not fit its output schema, so the model does not receive it. */
export class ToolOutputValidationError extends ToolError {
  override readonly _tag = "ToolOutputValidationError";
}
/** The tool's code failed. */
export class ToolExecutionError extends ToolError {
  override readonly _tag = "ToolExecutionError";
  /** The caller's arguments; only for errors of `call` and `execute`. */
  get input(): unknown {
    return inputs.get(this);
  }
}
/** The tool exceeded its time limit. */
export class ToolTimeoutError extends ToolError {
  override readonly _tag = "ToolTimeoutError";
  get timeoutMs(): number | undefined {
    return this.failure.timeoutMs;
  }
}
/** The caller may not see the tool, or may not call it with these arguments. */
export class ToolAuthorizationError extends ToolError {
  override readonly _tag = "ToolAuthorizationError";
  get agentId(): string | undefined {
    return this.failure.agentId;
  }
}
/** The call requires approval, was denied, or its approval is no longer valid. */
export class ToolApprovalError extends ToolError {
  override readonly _tag = "ToolApprovalError";
  /** Set while the request is open. */
  get approval(): ApprovalRequest | undefined {
    return this.failure.approval;
  }
}
/** An earlier call used the same key, and the call cannot be repeated. */
export class ToolIdempotencyError extends ToolError {
  override readonly _tag = "ToolIdempotencyError";
}
/** The library has no implementation for the spec. */
export class ToolBindingError extends ToolError {
  override readonly _tag = "ToolBindingError";
}
/** A remote tool changed since its review, and is quarantined until it is reviewed again. */
export class DefinitionChangedError extends ToolError {
  override readonly _tag = "DefinitionChangedError";
}
/**
 * The call was cancelled, its turn stopped before it started, or a layer continued after the call had ended.
 */
export class ToolCancelledError extends ToolError {
  override readonly _tag = "ToolCancelledError";
}
/** Too many calls are running or waiting. */
export class ToolOverloadedError extends ToolError {
  override readonly _tag = "ToolOverloadedError";
}
/** A circuit breaker rejects calls of the tool. */
export class ToolUnavailableError extends ToolError {
  override readonly _tag = "ToolUnavailableError";
}
/** A layer failed, and the tool did not. */
export class ToolLayerError extends ToolError {
  override readonly _tag = "ToolLayerError";
}
/** A tool definition is invalid: its name, schema or fields. */
export class ToolDefinitionError extends ToolError {
  override readonly _tag = "ToolDefinitionError";
}
/** The name is taken, or there are too many tools. */
export class ToolRegistrationError extends ToolError {
  override readonly _tag = "ToolRegistrationError";
}
/** An option, setting or conversation is invalid. The message names it. */
export class ConfigurationError extends ToolError {
  override readonly _tag = "ConfigurationError";
}
/** The ledger cannot be written, or another process has claimed the run. */
export class LedgerError extends ToolError {
  override readonly _tag = "LedgerError";
}
/** The HTTP client refused a request or response, such as one to a private address. */
export class HttpEgressError extends ToolError {
  override readonly _tag = "HttpEgressError";
}
/** A secret is missing, a token is unavailable, or a user must sign in first. */
export class CredentialsError extends ToolError {
  override readonly _tag = "CredentialsError";
}
/** An MCP server is unreachable or violates the protocol. */
export class MCPConnectionError extends ToolError {
  override readonly _tag = "MCPConnectionError";
}
/** A sandbox stopped the code, or is unavailable. */
export class SandboxError extends ToolError {
  override readonly _tag = "SandboxError";
}
/** The model is unavailable: key, limit, network or bad request. `response` has the conversation so far. */
export class ModelError extends ToolError {
  override readonly _tag = "ModelError";
}

/** Errors of an operation, with literal `_tag`s for `Effect.catchTag`. */
export type AnyToolError =
  | ToolNotFoundError
  | ToolHydrationError
  | ToolInputValidationError
  | ToolOutputValidationError
  | ToolExecutionError
  | ToolTimeoutError
  | ToolAuthorizationError
  | ToolApprovalError
  | ToolIdempotencyError
  | ToolBindingError
  | DefinitionChangedError
  | ToolCancelledError
  | ToolOverloadedError
  | ToolUnavailableError
  | ToolLayerError
  | ToolDefinitionError
  | ToolRegistrationError
  | ConfigurationError
  | LedgerError
  | HttpEgressError
  | CredentialsError
  | MCPConnectionError
  | SandboxError
  | ModelError;

const errorClasses: Record<ErrorName, typeof ToolError> = {
  ToolNotFoundError,
  ToolHydrationError,
  ToolInputValidationError,
  ToolOutputValidationError,
  ToolExecutionError,
  ToolTimeoutError,
  ToolAuthorizationError,
  ToolApprovalError,
  ToolIdempotencyError,
  ToolBindingError,
  DefinitionChangedError,
  ToolCancelledError,
  ToolOverloadedError,
  ToolUnavailableError,
  ToolLayerError,
  ToolDefinitionError,
  ToolRegistrationError,
  ConfigurationError,
  LedgerError,
  HttpEgressError,
  CredentialsError,
  MCPConnectionError,
  SandboxError,
  ModelError,
};

export const toError = (failure: Failure): AnyToolError => {
  const { code, message, ...details } = failure;
  const error = new errorClasses[failures[code].error](code, message, details);
  const cause = causeOf(failure);
  if (cause !== undefined) hiddenCauses.set(error, cause);
  return error as AnyToolError;
};

/** Also accepts subclasses that are not in the failure table. */
export const toTaggedError = (error: ToolError): AnyToolError => {
  if (Object.hasOwn(errorClasses, error._tag)) return error as AnyToolError;
  const { failure, response } = error;
  return Object.assign(toError(failure), response === undefined ? {} : { response });
};
