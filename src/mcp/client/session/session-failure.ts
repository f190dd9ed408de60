import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { tailOf } from "../../../text/cut-text.ts";
import {
  CredentialsError,
  MCPConnectionError,
  ToolCancelledError,
  ToolError,
  ToolTimeoutError,
} from "../../../words/errors.ts";
import type { FailureFacts } from "../../../words/failure.ts";
import { foreignWords } from "../transport/foreign-words.ts";
import { NotRepeated } from "../transport/http/sent-request.ts";
import { garbled, lost, unfit } from "../transport/intake.ts";
import { isNeverSent, networkCode } from "../transport/network-code.ts";
import { type Wire, WireError, type WireFault } from "../transport/wire.ts";

/** Which server and what was asked of it, for the words of a failure. */
export interface RequestContext {
  readonly id: string;
  readonly method: string;
  readonly wire: Wire | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Hides the secrets that this connection was given: a server may repeat them. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** As the server answered, for whoever passes it on. Stays in memory. */
export interface RemoteCause {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const longestDetail = 4_000;

/** Which server it was, how it was spoken to, and for operators what it said. */
const factsOf = (
  asked: RequestContext,
  lines: readonly (string | undefined)[] = [],
): FailureFacts & { readonly detail?: string } => {
  const text = lines.filter((line) => line !== undefined && line !== "").join("\n");
  return {
    serverName: asked.id,
    ...(asked.wire === undefined ? {} : { transport: asked.wire.kind }),
    ...(text === "" ? {} : { detail: tailOf(asked.mask?.(text) ?? text, longestDetail) }),
  };
};

const saidOf = (asked: RequestContext, words: string): string => foreignWords(asked.mask?.(words) ?? words);

const stderrOf = ({ wire }: RequestContext): string | undefined => {
  const words = wire?.lastWords?.() ?? "";
  return words === "" ? undefined : `last lines of its standard error:\n${words}`;
};

/**
 * The request left this process, and the server claims that nothing came of it. It may be wrong: to this side the
 * request has run.
 */
const claimed = { ran: true, claimsNotRun: true } as const;
const itsClaim = "it claims that nothing was run";

/** The connection is gone, and why. `ran` where the request may have arrived. */
export const gone = (
  asked: RequestContext,
  fault: WireFault | undefined,
  ran: boolean,
): MCPConnectionError => {
  const reason = fault?.reason ?? "the connection was lost";
  const isGarbage = fault?.kind === "garbage";
  return new MCPConnectionError(
    isGarbage ? "mcp_garbage" : "mcp_unreachable",
    isGarbage
      ? `The MCP server "${asked.id}" does not speak the protocol: ${reason}.`
      : `The MCP server "${asked.id}" cannot be reached: ${reason}.`,
    { ran, ...factsOf(asked, [stderrOf(asked)]) },
  );
};

export const unreachable = (
  asked: RequestContext,
  reason: string,
  more: {
    readonly ran: boolean;
    readonly claimsNotRun?: boolean;
    readonly retryable?: boolean;
    readonly detail?: string;
    readonly status?: number;
  },
): MCPConnectionError =>
  new MCPConnectionError("mcp_unreachable", `The MCP server "${asked.id}" cannot be reached: ${reason}.`, {
    ran: more.ran,
    ...(more.claimsNotRun === true ? { claimsNotRun: true } : {}),
    ...(more.retryable === undefined ? {} : { retryable: more.retryable }),
    ...(more.status === undefined ? {} : { status: more.status }),
    ...factsOf(asked, [more.detail, stderrOf(asked)]),
  });

export const cancelled = (asked: RequestContext, ran: boolean): ToolCancelledError =>
  new ToolCancelledError(
    "cancelled",
    `${asked.method} of the MCP server "${asked.id}" was cancelled${ran ? "; the server was told" : " before it was sent"}.`,
    { ran },
  );

export const timedOut = (asked: RequestContext, ran: boolean): ToolTimeoutError =>
  new ToolTimeoutError(
    "timed_out",
    `The MCP server "${asked.id}" did not answer ${asked.method} within ${asked.timeoutMs ?? 0} ms.`,
    { ran, ...factsOf(asked, [stderrOf(asked)]), timeoutMs: asked.timeoutMs ?? 0 },
  );

/** Codes with which a server claims that it did not even begin. */
const unbegun: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022]);

export const refused = (asked: RequestContext, cause: RemoteCause): MCPConnectionError => {
  const said = saidOf(asked, cause.message);
  let data: string | undefined;
  try {
    data = cause.data === undefined ? undefined : `data: ${foreignWords(JSON.stringify(cause.data), 1_000)}`;
  } catch {
    data = undefined;
  }
  const isClaim = unbegun.has(cause.code);
  const claim = isClaim ? ` (${itsClaim})` : "";
  return new MCPConnectionError(
    "mcp_protocol",
    `The MCP server "${asked.id}" refused ${asked.method} with code ${cause.code}${claim}${said === "" ? "" : `: ${said}`}`,
    {
      ...(isClaim ? claimed : { ran: true }),
      cause,
      ...factsOf(asked, [`JSON-RPC code ${cause.code}`, data]),
    },
  );
};

export const unfitting = (asked: RequestContext, reason: string, cause?: unknown): MCPConnectionError =>
  new MCPConnectionError(
    "mcp_protocol",
    `The MCP server "${asked.id}" answered ${asked.method} in a way the protocol does not have: ${saidOf(asked, reason)}.`,
    { ran: true, ...factsOf(asked), ...(cause === undefined ? {} : { cause }) },
  );

/** Some refusals of HTTP carry one of the protocol. */
const readRemoteCause = (text: unknown): RemoteCause | undefined => {
  if (typeof text !== "string" || text.length > 100_000) return undefined;
  try {
    const { code, message, data } = (JSON.parse(text) as { readonly error: Record<string, unknown> }).error;
    if (typeof code !== "number") return undefined;
    return {
      code,
      message: typeof message === "string" ? message : "",
      ...(data === undefined ? {} : { data }),
    };
  } catch {
    return undefined;
  }
};

const ofHttp = (asked: RequestContext, error: SdkHttpError): ToolError => {
  const { status } = error;
  const detail = `HTTP ${status}`;
  if (status === 401 || status === 403) {
    const wants = status === 401 ? "it wants an authorization" : "the authorization it got is not enough";
    return unreachable(asked, `${wants} (HTTP ${status}; ${itsClaim}); set headers or oauth for it`, {
      ...claimed,
      retryable: false,
      detail,
      status,
    });
  }
  const remote = readRemoteCause(error.data.text);
  const isSessionLost = status === 404 && asked.wire?.sessionId !== undefined;
  if (remote !== undefined && status < 500 && !isSessionLost) return refused(asked, remote);
  const isBusy = status === 429 || status === 503;
  const isClaim = status < 500 || isBusy;
  return unreachable(asked, `it answered HTTP ${status}${isClaim ? ` (${itsClaim})` : ""}`, {
    ...(isClaim ? claimed : { ran: true }),
    ...(status >= 500 || isBusy || status === 404 ? {} : { retryable: false }),
    detail,
    status,
  });
};

const ofSdk = (asked: RequestContext, error: SdkError): ToolError | undefined => {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return timedOut(asked, true);
    case SdkErrorCode.ConnectionClosed:
      return gone(asked, asked.wire?.fault, true);
    case SdkErrorCode.NotConnected:
      return gone(asked, asked.wire?.fault, false);
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return new MCPConnectionError(
        "mcp_protocol",
        `${asked.method} does not exist in the version of the protocol that the MCP server "${asked.id}" speaks.`,
        { ran: false, ...factsOf(asked) },
      );
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
      return unfitting(asked, error.message);
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return gone(asked, { kind: "garbage", reason: "it answered with something that is no message" }, true);
    default:
      return undefined;
  }
};

const isUnauthorized = (error: object): boolean =>
  (error as { readonly name?: unknown }).name === "UnauthorizedError" ||
  error.constructor?.name === "UnauthorizedError";

/** Whatever went wrong with a request, as one row of the failure table. Never throws. */
export const toSessionError = (error: unknown, asked: RequestContext): ToolError => {
  if (asked.signal?.aborted === true) return cancelled(asked, true);
  if (ToolError.is(error)) return error;
  if (typeof error !== "object" || error === null)
    return unreachable(asked, "the request failed", { ran: true });
  if (error instanceof WireError) return gone(asked, error.fault, error.ran);
  if (error instanceof NotRepeated) {
    const { status } = error;
    const reason =
      status < 400
        ? `it answered with a redirect (HTTP ${status}; ${itsClaim}), and the call is not sent twice: connect to the place it leads to`
        : `it wanted another authorization (HTTP ${status}; ${itsClaim}), and has it now, but the call is not sent twice`;
    return unreachable(asked, reason, { ...claimed, status });
  }
  if (error instanceof SdkHttpError) return ofHttp(asked, error);
  if (error instanceof SdkError) {
    const known = ofSdk(asked, error);
    if (known !== undefined) return known;
  }
  if (isUnauthorized(error)) {
    return new CredentialsError(
      "sign_in_required",
      `The MCP server "${asked.id}" wants somebody to sign in first (${itsClaim}).`,
      claimed,
    );
  }
  if (error instanceof ProtocolError) {
    if (error.data === unfit) return unfitting(asked, error.message);
    if (error.data === lost) return gone(asked, { kind: "unreachable", reason: error.message }, true);
    if (error.data === garbled) return gone(asked, { kind: "garbage", reason: error.message }, true);
    const data = error.data === undefined ? {} : { data: error.data };
    return refused(asked, { code: error.code, message: error.message, ...data });
  }
  const { name, cause } = error as Record<"name" | "cause", unknown>;
  if (name === "SyntaxError" || name === "ZodError" || name === "$ZodError") {
    return gone(asked, { kind: "garbage", reason: "it answered with something that is no message" }, true);
  }
  if (cause instanceof WireError) return gone(asked, cause.fault, cause.ran);
  if (ToolError.is(cause)) return cause;
  const code = networkCode(error);
  if (code !== undefined) {
    return unreachable(asked, `the network failed (${code})`, { ran: !isNeverSent(error) });
  }
  const fault = asked.wire?.fault;
  if (fault !== undefined && fault.kind !== "closed") return gone(asked, fault, true);
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed) {
    return new MCPConnectionError(
      "mcp_protocol",
      `The MCP server "${asked.id}" and this client have no version of the protocol in common: ${saidOf(asked, error.message)}`,
      { ran: false, ...factsOf(asked) },
    );
  }
  const said = error instanceof Error ? saidOf(asked, error.message) : "";
  // The SDK has no class for an answer to the handshake that it cannot take.
  if (/^Server('s protocol version is not supported| sent invalid initialize result)/.test(said)) {
    return unfitting(asked, said);
  }
  if (said === "Not connected")
    return gone(asked, { kind: "closed", reason: "the connection is closed" }, false);
  return unreachable(asked, "the request failed", { ran: true, detail: said });
};
