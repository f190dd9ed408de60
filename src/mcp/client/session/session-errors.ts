import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { tailOf } from "../../../base/text/cut-text.ts";
import {
  CredentialsError,
  MCPConnectionError,
  ToolCancelledError,
  ToolError,
  ToolExecutionError,
  ToolTimeoutError,
} from "../../../types/errors.ts";
import type { FailureFacts } from "../../../types/failure.ts";
import { isNeverSent, NotResentError, networkCodeOf } from "../transport/http/bounded-response.ts";
import { invalidResponse, lostResponse, unreadableResponse } from "../transport/inbound-messages.ts";
import { sanitizeUntrustedText } from "../transport/sanitize-foreign-text.ts";
import { type ServerTransport, TransportError, type TransportFault } from "../transport/server-transport.ts";

export interface McpRequestInfo {
  readonly id: string;
  readonly method: string;
  readonly wire: ServerTransport | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Masks secrets, which a server may repeat. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** The server's original error. Kept in memory only. */
export interface RemoteCause {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const maxDetailLength = 4_000;

const failureFactsOf = (
  info: McpRequestInfo,
  lines: readonly (string | undefined)[] = [],
): FailureFacts & { readonly detail?: string } => {
  const text = lines.filter((line) => line !== undefined && line !== "").join("\n");
  return {
    serverName: info.id,
    ...(info.wire === undefined ? {} : { transport: info.wire.kind }),
    ...(text === "" ? {} : { detail: tailOf(info.mask?.(text) ?? text, maxDetailLength) }),
  };
};

const serverText = (info: McpRequestInfo, words: string): string =>
  sanitizeUntrustedText(info.mask?.(words) ?? words);

const stderrDetail = ({ wire }: McpRequestInfo): string | undefined => {
  const words = wire?.stderrTail?.() ?? "";
  return words === "" ? undefined : `last lines of its standard error:\n${words}`;
};

/** A request that was sent may have taken effect. */
const sentFacts = (ran: boolean) => (ran ? { ran, answerLost: true } : { ran });

/** The request was sent; the server's claim is not trusted. */
const claimedNotRun = { ran: true, claimsNotRun: true } as const;
const claimText = "the server states that nothing ran";

export const connectionLostError = (
  info: McpRequestInfo,
  fault: TransportFault | undefined,
  ran: boolean,
): MCPConnectionError => {
  const reason = fault?.reason ?? "the connection was lost";
  const isGarbage = fault?.kind === "garbage";
  return new MCPConnectionError(
    isGarbage ? "mcp_garbage" : "mcp_unreachable",
    isGarbage
      ? `The MCP server "${info.id}" does not follow the protocol: ${reason}.`
      : `The MCP server "${info.id}" cannot be reached: ${reason}.`,
    { ...sentFacts(ran), ...failureFactsOf(info, [stderrDetail(info)]) },
  );
};

export const serverUnreachableError = (
  info: McpRequestInfo,
  reason: string,
  more: {
    readonly ran: boolean;
    readonly answerLost?: boolean;
    readonly claimsNotRun?: boolean;
    readonly retryable?: boolean;
    readonly detail?: string;
    readonly status?: number;
    readonly timeoutMs?: number | undefined;
  },
): MCPConnectionError =>
  new MCPConnectionError("mcp_unreachable", `The MCP server "${info.id}" cannot be reached: ${reason}.`, {
    ran: more.ran,
    ...(more.answerLost === true ? { answerLost: true } : {}),
    ...(more.claimsNotRun === true ? { claimsNotRun: true } : {}),
    ...(more.retryable === undefined ? {} : { retryable: more.retryable }),
    ...(more.status === undefined ? {} : { status: more.status }),
    ...(more.timeoutMs === undefined ? {} : { timeoutMs: more.timeoutMs }),
    ...failureFactsOf(info, [more.detail, stderrDetail(info)]),
  });

export const requestCancelledError = (info: McpRequestInfo, ran: boolean): ToolCancelledError =>
  new ToolCancelledError(
    "cancelled",
    `${info.method} of the MCP server "${info.id}" was cancelled${ran ? "; the server was notified" : " before it was sent"}.`,
    { ran },
  );

export const requestTimeoutError = (info: McpRequestInfo, ran: boolean): ToolTimeoutError =>
  new ToolTimeoutError(
    "timed_out",
    `The MCP server "${info.id}" did not answer ${info.method} within ${info.timeoutMs ?? 0} ms.`,
    { ...sentFacts(ran), ...failureFactsOf(info, [stderrDetail(info)]), timeoutMs: info.timeoutMs ?? 0 },
  );

const notStartedCodes: ReadonlySet<number> = new Set([
  -32_700, -32_600, -32_601, -32_602, -32_020, -32_021, -32_022,
]);

/** A server that refuses a call is reachable, so the failure is the tool's. */
export const serverRefusedError = (
  info: McpRequestInfo,
  cause: RemoteCause,
): MCPConnectionError | ToolExecutionError => {
  const said = serverText(info, cause.message);
  let data: string | undefined;
  try {
    data =
      cause.data === undefined
        ? undefined
        : `data: ${sanitizeUntrustedText(JSON.stringify(cause.data), 1_000)}`;
  } catch {
    data = undefined;
  }
  const isClaim = notStartedCodes.has(cause.code);
  const claim = isClaim ? ` (${claimText})` : "";
  const message = `The MCP server "${info.id}" refused ${info.method} with code ${cause.code}${claim}${said === "" ? "" : `: ${said}`}`;
  const details = {
    ...(isClaim ? claimedNotRun : { ran: true }),
    cause,
    ...failureFactsOf(info, [`JSON-RPC code ${cause.code}`, data]),
  };
  return info.method === "tools/call"
    ? new ToolExecutionError("mcp_refused", message, details)
    : new MCPConnectionError("mcp_protocol", message, details);
};

export const protocolViolationError = (
  info: McpRequestInfo,
  reason: string,
  cause?: unknown,
): MCPConnectionError =>
  new MCPConnectionError(
    "mcp_protocol",
    `The MCP server "${info.id}" sent an invalid response to ${info.method}: ${serverText(info, reason)}.`,
    { ran: true, ...failureFactsOf(info), ...(cause === undefined ? {} : { cause }) },
  );

/** Some HTTP errors contain a JSON-RPC error. */
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

const httpErrorToToolError = (info: McpRequestInfo, error: SdkHttpError): ToolError => {
  const { status } = error;
  const detail = `HTTP ${status}`;
  if (status === 401 || status === 403) {
    const wants = status === 401 ? "it requires authorization" : "the authorization is not sufficient";
    return serverUnreachableError(
      info,
      `${wants} (HTTP ${status}; ${claimText}); set headers or oauth for it`,
      {
        ...claimedNotRun,
        retryable: false,
        detail,
        status,
      },
    );
  }
  const remote = readRemoteCause(error.data.text);
  const isSessionLost = status === 404 && info.wire?.sessionId !== undefined;
  if (remote !== undefined && status < 500 && !isSessionLost) return serverRefusedError(info, remote);
  const isBusy = status === 429 || status === 503;
  const isClaim = status < 500 || isBusy;
  return serverUnreachableError(info, `it answered HTTP ${status}${isClaim ? ` (${claimText})` : ""}`, {
    ...(isClaim ? claimedNotRun : { ran: true }),
    ...(status >= 500 || isBusy || status === 404 ? {} : { retryable: false }),
    detail,
    status,
  });
};

const sdkErrorToToolError = (info: McpRequestInfo, error: SdkError): ToolError | undefined => {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return requestTimeoutError(info, true);
    case SdkErrorCode.ConnectionClosed:
      return connectionLostError(info, info.wire?.fault, true);
    case SdkErrorCode.NotConnected:
      return connectionLostError(info, info.wire?.fault, false);
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
      return new MCPConnectionError(
        "mcp_protocol",
        `${info.method} does not exist in the protocol version of the MCP server "${info.id}".`,
        { ran: false, ...failureFactsOf(info) },
      );
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
      return protocolViolationError(info, error.message);
    case SdkErrorCode.ClientHttpUnexpectedContent:
      return connectionLostError(
        info,
        { kind: "garbage", reason: "its response is not an MCP message" },
        true,
      );
    default:
      return undefined;
  }
};

const isUnauthorized = (error: object): boolean =>
  (error as { readonly name?: unknown }).name === "UnauthorizedError" ||
  error.constructor?.name === "UnauthorizedError";

const networkReason = (code: string): string => {
  if (code === "ECONNREFUSED")
    return `the network failed (${code}): no process listens at its address. Start the server or correct its url`;
  if (code === "ENOTFOUND") return `the network failed (${code}): its host does not exist. Correct its url`;
  return `the network failed (${code})`;
};

/** Never throws. */
export const toSessionError = (error: unknown, info: McpRequestInfo): ToolError => {
  if (info.signal?.aborted === true) return requestCancelledError(info, true);
  if (ToolError.is(error)) return error;
  if (typeof error !== "object" || error === null)
    return serverUnreachableError(info, "the request failed", sentFacts(true));
  if (error instanceof TransportError) return connectionLostError(info, error.fault, error.ran);
  if (error instanceof NotResentError) {
    const { status } = error;
    const reason =
      status < 400
        ? `it answered with a redirect (HTTP ${status}; ${claimText}), and the call is not sent twice: set url to the redirect target`
        : `it required new authorization (HTTP ${status}; ${claimText}), which is now available, but the call is not sent twice`;
    return serverUnreachableError(info, reason, { ...claimedNotRun, status });
  }
  if (error instanceof SdkHttpError) return httpErrorToToolError(info, error);
  if (error instanceof SdkError) {
    const known = sdkErrorToToolError(info, error);
    if (known !== undefined) return known;
  }
  if (isUnauthorized(error)) {
    return new CredentialsError(
      "sign_in_required",
      `The MCP server "${info.id}" requires a sign-in (HTTP 401; ${claimText}). Sign in with haft mcp login, or set headers or oauth for it.`,
      { ...claimedNotRun, ...failureFactsOf(info) },
    );
  }
  if (error instanceof ProtocolError) {
    if (error.data === invalidResponse) return protocolViolationError(info, error.message);
    if (error.data === lostResponse)
      return connectionLostError(info, { kind: "unreachable", reason: error.message }, true);
    if (error.data === unreadableResponse)
      return connectionLostError(info, { kind: "garbage", reason: error.message }, true);
    const data = error.data === undefined ? {} : { data: error.data };
    return serverRefusedError(info, { code: error.code, message: error.message, ...data });
  }
  const { name, cause } = error as Record<"name" | "cause", unknown>;
  if (name === "SyntaxError" || name === "ZodError" || name === "$ZodError") {
    return connectionLostError(info, { kind: "garbage", reason: "its response is not an MCP message" }, true);
  }
  if (cause instanceof TransportError) return connectionLostError(info, cause.fault, cause.ran);
  if (ToolError.is(cause)) return cause;
  const code = networkCodeOf(error);
  if (code !== undefined) {
    return serverUnreachableError(info, networkReason(code), sentFacts(!isNeverSent(error)));
  }
  const fault = info.wire?.fault;
  if (fault !== undefined && fault.kind !== "closed") return connectionLostError(info, fault, true);
  if (error instanceof SdkError && cause instanceof TypeError) {
    // Refused by `fetch` itself, such as a blocked port.
    const why = cause.cause instanceof Error ? cause.cause.message : cause.message;
    return serverUnreachableError(info, `the request was not sent (${why}). Correct its url`, { ran: false });
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed) {
    return new MCPConnectionError(
      "mcp_protocol",
      `The MCP server "${info.id}" and this client have no common protocol version: ${serverText(info, error.message)}`,
      { ran: false, ...failureFactsOf(info) },
    );
  }
  const said = error instanceof Error ? serverText(info, error.message) : "";
  // The SDK has no class for an unacceptable handshake response.
  if (/^Server('s protocol version is not supported| sent invalid initialize result)/.test(said)) {
    return protocolViolationError(info, said);
  }
  if (said === "Not connected")
    return connectionLostError(info, { kind: "closed", reason: "the connection is closed" }, false);
  return serverUnreachableError(info, "the request failed", { ...sentFacts(true), detail: said });
};
