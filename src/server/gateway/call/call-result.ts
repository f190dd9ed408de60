import {
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  SERVER_INFO_META_KEY,
} from "@modelcontextprotocol/server";
import { restoreParts } from "../../../mcp/client/content/media-blocks.ts";
import { restoreRemoteResult, toRemoteResult } from "../../../mcp/client/content/to-tool-value.ts";
import { sanitizeUntrustedText } from "../../../mcp/client/transport/sanitize-foreign-text.ts";
import { toModelText } from "../../../pipeline/pipeline.ts";
import { ToolError } from "../../../types/errors.ts";
import { type Failure, isRetryable } from "../../../types/failure.ts";
import { failures } from "../../../types/failures.ts";
import type { McpProtocolError, RemoteResult } from "../../../types/mcp.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { LiveCall } from "./live-call.ts";

type RedactText = (text: string) => string;

const notFoundCodes: ReadonlySet<string> = new Set(["unknown_tool", "not_visible", "ambiguous_tool"]);

export const toToolResult = (reply: Reply, live: LiveCall, redact: RedactText, isRemote = false): Result => {
  if (reply.pending !== undefined) return toPendingResult(reply);
  const { failure } = reply;
  if (failure === undefined) {
    const raw =
      live.rawOf(reply, redact) ?? (isRemote ? restoreRemoteResult(reply.value, reply.parts) : undefined);
    return raw === undefined
      ? (withMaskedValue(toRemoteResult(reply), redact) as Result)
      : withoutHaftFields(raw as Result, redact);
  }
  if (notFoundCodes.has(failure.code)) {
    const message = redact(`Unknown tool: ${sanitizeUntrustedText(reply.tool)}`);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  throwProtocolError(protocolErrorOf(failure, live), redact);
  const raw = live.lastReceived;
  if (failure.code === "failed" && raw?.isError === true) return withoutHaftFields(raw as Result, redact);
  return toFailureResult(reply, failure);
};

export const toFailureResult = (reply: Reply, failure: Failure): Result => ({
  ...(toRemoteResult(reply) as Result),
  _meta: failureMeta(failure),
});

/** A server could name an approval request or a failure that Haft did not report. */
const withoutHaftFields = (raw: Result, redact: RedactText): Result => {
  const { resultType, inputRequests, requestState, taskId, _meta, ...result } = redactJson(
    raw,
    redact,
  ) as Result;
  const { [SERVER_INFO_META_KEY]: _, ...meta } = _meta ?? {};
  const foreign = Object.entries(meta).filter(([name]) => !name.startsWith("haft/"));
  return foreign.length === 0 ? result : { ...result, _meta: Object.fromEntries(foreign) };
};

const maxRedactDepth = 512;

const isBase64Member = (key: string, { type, uri }: Readonly<Record<string, unknown>>): boolean =>
  key === "data" ? type === "image" || type === "audio" : key === "blob" && typeof uri === "string";

/** Returns the same value if nothing is masked. Values nested too deep are left out. */
export const redactJson = (value: unknown, redact: (text: string) => string, depth = 0): unknown => {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxRedactDepth) return "[too deep]";
  if (Array.isArray(value)) return redactItems(value, redact, depth);
  return redactMembers(value as Readonly<Record<string, unknown>>, redact, depth);
};

const redactItems = (items: readonly unknown[], redact: (text: string) => string, depth: number): unknown => {
  let copy: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const masked = redactJson(items[i], redact, depth + 1);
    if (masked === items[i]) continue;
    copy ??= [...items];
    copy[i] = masked;
  }
  return copy ?? items;
};

const redactMembers = (
  members: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
  depth: number,
): unknown => {
  let isSame = true;
  const entries = Object.keys(members).map((key): readonly [string, unknown] => {
    const member = members[key];
    const masked = isBase64Member(key, members) ? member : redactJson(member, redact, depth + 1);
    const name = redact(key);
    if (masked !== member || name !== key) isSame = false;
    return [name, masked];
  });
  return isSame ? members : Object.fromEntries(entries);
};

/** Text is already masked, the value is not. */
const withMaskedValue = (result: RemoteResult, redact: RedactText): RemoteResult => {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  try {
    const value: unknown = JSON.parse(JSON.stringify(structuredContent));
    return { ...result, structuredContent: redactJson(value, redact) };
  } catch {
    return { content: result.content! };
  }
};

/** The approval ID stays in `_meta`: a model could use it to approve its own call. */
const toPendingResult = ({ pending, text }: Reply): Result => {
  const { id, expiresAt } = pending!;
  return {
    content: [{ type: "text", text: `${text.replaceAll(id, "[approval]")}\n${pendingInstructions}` }],
    isError: true,
    _meta: { "haft/approval": { id, ...(expiresAt === undefined ? {} : { expiresAt }) } },
  };
};

const pendingInstructions =
  "It runs when a person has approved it, and only a person can approve it. To get the result, call again later with the same arguments.";

export const failureMeta = (failure: Failure): Readonly<Record<string, unknown>> => ({
  "haft/failure": { code: failure.code, retryable: isRetryable(failure) },
});

const maxCauseDepth = 4;

const rootCauseOf = ({ cause }: Failure): unknown => {
  let current = cause;
  for (let depth = 0; depth < maxCauseDepth && ToolError.is(current); depth++)
    current = current.failure.cause;
  return current;
};

/** An upstream server's protocol error, if it caused the failure. */
export const protocolErrorOf = (
  failure: Failure | undefined,
  live?: LiveCall,
): McpProtocolError | undefined => {
  if (failure?.code !== "mcp_protocol" && failure?.code !== "mcp_refused") return undefined;
  const cause = rootCauseOf(failure) ?? live?.protocolError;
  if (typeof cause !== "object" || cause === null) return undefined;
  const { code, message } = cause as Partial<McpProtocolError>;
  return Number.isSafeInteger(code) && typeof message === "string" ? (cause as McpProtocolError) : undefined;
};

const throwProtocolError = (refusal: McpProtocolError | undefined, redact: RedactText): void => {
  if (refusal === undefined) return;
  const { code, message, data } = refusal;
  throw new ProtocolError(code, redact(message.slice(0, 2000)), redactJson(data, redact));
};

/** For methods without failed results, which throw protocol errors. */
export const toRequestResult = (reply: Reply, live: LiveCall, redact: RedactText): Result => {
  const { failure, pending, value } = reply;
  throwProtocolError(protocolErrorOf(failure, live), redact);
  if (failure !== undefined || pending !== undefined) {
    const { content, _meta } =
      pending === undefined ? { _meta: failureMeta(failure!) } : textContentOf(toPendingResult(reply));
    throw new ProtocolError(ProtocolErrorCode.InternalError, content ?? reply.text, _meta);
  }
  const raw = live.rawOf(reply, redact) ?? restoreParts(value, reply.parts ?? []);
  if (typeof raw === "object" && raw !== null && !Array.isArray(raw))
    return withoutHaftFields(raw as Result, redact);
  throw new ProtocolError(ProtocolErrorCode.InternalError, "The result is not valid for this method.");
};

const textContentOf = ({ content, _meta }: Result) => ({
  content: (content as readonly [{ readonly text: string }])[0].text,
  _meta,
});

/** Clients read no more of a failure than models. */
const failureText = (failure: Failure): string => {
  if (failures[failure.code].reader === "model") return failure.message;
  if (failure.tool === undefined) return "The request cannot be answered right now.";
  return toModelText(failure, failure.tool).replace(/^Error: /, "");
};

/** Exposes no internals. */
export const toProtocolError = (error: unknown, redact: RedactText): ProtocolError => {
  if (error instanceof ProtocolError) return error;
  if (!ToolError.is(error)) return new ProtocolError(ProtocolErrorCode.InternalError, "Internal error");
  try {
    throwProtocolError(protocolErrorOf(error.failure), redact);
  } catch (own) {
    return own as ProtocolError;
  }
  const message = redact(sanitizeUntrustedText(failureText(error.failure), 500));
  return new ProtocolError(ProtocolErrorCode.InternalError, message, failureMeta(error.failure));
};
