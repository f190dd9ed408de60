import * as Data from "effect/Data";
import type { AgentResponse } from "./agent.ts";
import type { ApprovalRequest } from "./approval.ts";
import { causeOf, type Failure, isRetryable } from "./failure.ts";
import { type ErrorName, type FailureCode, failures } from "./failures.ts";
import type { Issue } from "./json.ts";

const brand: unique symbol = Symbol.for("haft/ToolError") as never;

type FailureDetails = Partial<Omit<Failure, "code" | "message">>;

/** Causes of errors that came out of a call: for the program, and not for whatever prints an error with its own fields. */
const hiddenCauses = new WeakMap<object, unknown>();

/** Arguments of failed calls: for the program, and not for whatever prints an error with its own fields. */
const inputs = new WeakMap<object, unknown>();

/** The same error, which knows the arguments of its call. */
export const withInput = <E extends ToolError>(error: E, input: unknown): E => {
  inputs.set(error, input);
  return error;
};

/** The one error of the promise door; its subclasses are the rows of the failure table. */
export class ToolError extends Data.Error<{ readonly message: string; readonly cause?: unknown }> {
  readonly [brand] = true;
  readonly _tag: string = "ToolError";
  readonly failure: Failure;
  /** Of an agent's run that ended with this error: what was said and done until then. */
  readonly response?: AgentResponse;

  constructor(code: FailureCode, message: string, details: FailureDetails = {}) {
    super({ message, ...(details.cause === undefined ? {} : { cause: details.cause }) });
    this.failure = { code, message, ...details };
    // Loggers group by it, and a minifier must not decide what it is.
    this.name = failures[code].error;
  }

  get code(): FailureCode {
    return this.failure.code;
  }

  /** What a service answered over HTTP, where that is what went wrong. */
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

  /** How it is reached: `stdio`, `http`, `sse` or `websocket`. */
  get transport(): string | undefined {
    return this.failure.transport;
  }

  get retryable(): boolean {
    return isRetryable(this.failure);
  }

  /** Holds for errors from another copy of this package too. */
  static is(value: unknown): value is ToolError {
    return typeof value === "object" && value !== null && brand in value;
  }
}

/** What was wrong with text or a value that a failure refuses; made when it is asked for, since most never are. */
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

/** No tool has that name, or more than one has. */
export class ToolNotFoundError extends ToolError {
  override readonly _tag = "ToolNotFoundError";
  /** Names that the caller could have used, at most a hundred. */
  get availableTools(): readonly string[] {
    return this.failure.availableTools ?? [];
  }
}
/** What the model sent cannot be read as a call, or its arguments not as JSON. */
export class ToolHydrationError extends ToolError {
  override readonly _tag = "ToolHydrationError";
}
/** The first issue is spread out as the parameter, what was expected there, and what came. */
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
/** The tool's value does not keep its promise. The model is not told it. */
export class ToolOutputValidationError extends ToolError {
  override readonly _tag = "ToolOutputValidationError";
}
/** The tool's code failed. */
export class ToolExecutionError extends ToolError {
  override readonly _tag = "ToolExecutionError";
  /** The arguments as the caller gave them; of an error that `call` or `execute` did not make, nothing. */
  get input(): unknown {
    return inputs.get(this);
  }
}
/** The tool took longer than it may. */
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
/** A person must agree first, has said no, or the answer no longer counts. */
export class ToolApprovalError extends ToolError {
  override readonly _tag = "ToolApprovalError";
  /** Set while the answer is still to come. */
  get approval(): ApprovalRequest | undefined {
    return this.failure.approval;
  }
}
/** A call that was made before under the same key, and cannot be made again. */
export class ToolIdempotencyError extends ToolError {
  override readonly _tag = "ToolIdempotencyError";
}
/** No code of the library fits the spec. */
export class ToolBindingError extends ToolError {
  override readonly _tag = "ToolBindingError";
}
/** A remote tool is not what was reviewed: nobody may call it until somebody looked. */
export class DefinitionChangedError extends ToolError {
  override readonly _tag = "DefinitionChangedError";
}
/** The call was cancelled, was not started before its turn stopped, or a layer went on after its end. */
export class ToolCancelledError extends ToolError {
  override readonly _tag = "ToolCancelledError";
}
/** Too many calls are under way or waiting. */
export class ToolOverloadedError extends ToolError {
  override readonly _tag = "ToolOverloadedError";
}
/** A breaker keeps calls away from the tool for now. */
export class ToolUnavailableError extends ToolError {
  override readonly _tag = "ToolUnavailableError";
}
/** A layer broke, not the tool. */
export class ToolLayerError extends ToolError {
  override readonly _tag = "ToolLayerError";
}
/** A tool is defined in a way that cannot be used: its name, its schema or its fields. */
export class ToolDefinitionError extends ToolError {
  override readonly _tag = "ToolDefinitionError";
}
/** A name is taken, or there are too many tools. */
export class ToolRegistrationError extends ToolError {
  override readonly _tag = "ToolRegistrationError";
}
/** An option, a setting or a conversation makes no sense. The message names it. */
export class ConfigurationError extends ToolError {
  override readonly _tag = "ConfigurationError";
}
/** The ledger cannot be written, or another process has taken the run over. */
export class LedgerError extends ToolError {
  override readonly _tag = "LedgerError";
}
/** The guarded HTTP client refused a request or its answer, such as one to a private address. */
export class HttpEgressError extends ToolError {
  override readonly _tag = "HttpEgressError";
}
/** A secret is missing, a token cannot be had, or somebody must sign in first. */
export class CredentialsError extends ToolError {
  override readonly _tag = "CredentialsError";
}
/** An MCP server cannot be reached, or does not keep to the protocol. */
export class MCPConnectionError extends ToolError {
  override readonly _tag = "MCPConnectionError";
}
/** A sandbox stopped the code that it ran, or cannot be had. */
export class SandboxError extends ToolError {
  override readonly _tag = "SandboxError";
}
/** The model cannot be had: a key, a limit, the network or a bad request. What was said until then is in `response`. */
export class ModelError extends ToolError {
  override readonly _tag = "ModelError";
}

/**
 * What an operation can fail with: one class for each name of the failure table, told apart by a literal `_tag`, so that
 * `Effect.catchTag` narrows and a misspelled tag does not compile.
 */
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

/** The failure as the error its row names. */
export const toError = (failure: Failure): AnyToolError => {
  const { code, message, ...details } = failure;
  const error = new errorClasses[failures[code].error](code, message, details);
  const cause = causeOf(failure);
  if (cause !== undefined) hiddenCauses.set(error, cause);
  return error as AnyToolError;
};

/** A plain ToolError, or a subclass of somebody else's, as the error that its failure names. */
export const toTaggedError = (error: ToolError): AnyToolError => {
  if (Object.hasOwn(errorClasses, error._tag)) return error as AnyToolError;
  const { failure, response } = error;
  return Object.assign(toError(failure), response === undefined ? {} : { response });
};
