import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TraceHeaders } from "../../../base/http/trace-headers.ts";
import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { shorten } from "../../../base/text/cut-text.ts";
import type { CallContext, ToolFunction } from "../../../types/call.ts";
import { ToolError } from "../../../types/errors.ts";
import {
  CurrentMcpCaller,
  type McpCaller,
  type McpProtocolError,
  type McpSessionRequest,
  type RemoteResult,
} from "../../../types/mcp.ts";
import { failed, type Outcome, succeeded, withMedia, withTaints } from "../../../types/outcome.ts";
import { callerKeyOf, type Principal } from "../../../types/principal.ts";
import { restoreParts } from "../content/media-blocks.ts";
import type { RemoteValue } from "../content/to-tool-value.ts";
import type { ToolLink, ToolQuarantine } from "./tool-link.ts";

export interface RemoteCallSpec {
  readonly method: string;
  readonly params: (input: unknown) => JsonObject;
  readonly read: (result: RemoteResult) => RemoteValue;
  /** Returns why a result must not be passed on. */
  readonly refuse?: (input: unknown, result: JsonObject) => string | undefined;
  /** False for tools with an output schema, which a handle would violate. */
  readonly canTruncate: boolean;
  readonly timeoutMs: number;
  readonly link: ToolLink;
}

/** Never retries: the layers decide whether a lost call is repeated. */
export const createRemoteCall = (code: RemoteCallSpec): ToolFunction => {
  const { method, params, timeoutMs, link } = code;
  // Distinguishes callers that share one tool function.
  const runtimeCaller = (principal: Principal): McpCaller => ({
    ...(link.requestInput === undefined ? {} : { ask: link.requestInput }),
    party: callerKeyOf(principal),
  });

  const start = (
    fiber: Fiber.Fiber<unknown, unknown>,
    input: unknown,
    context: CallContext,
  ): Promise<unknown> => {
    const held = link.quarantine();
    if (held !== undefined) return Promise.resolve(quarantinedToolOutcome(held, context.tool));
    const caller = fiber.getRef(CurrentMcpCaller) ?? runtimeCaller(context.principal);
    const _meta = callMetaOf(context.idempotencyKey, fiber.getRef(TraceHeaders));
    const request: McpSessionRequest = {
      method,
      params: { ...params(input), _meta },
      signal: context.signal,
      timeoutMs,
      onProgress: context.progress,
      caller,
    };
    return sendAndRead(code, request, context, input);
  };

  return (input, context) => {
    // The pipeline already runs tools inside a fiber.
    const fiber = Fiber.getCurrent();
    if (fiber !== undefined) return start(fiber, input, context);
    return Effect.withFiber((own) => Effect.promise(() => start(own, input, context)));
  };
};

const maxErrorTextLength = 4_000;

const sessionFailureOutcome = (error: unknown, tool: string): Outcome => {
  if (ToolError.is(error)) return failed({ ...error.failure, tool, cause: error });
  const detail = error instanceof Error ? error.message : String(error);
  return failed({
    code: "crashed",
    tool,
    ran: true,
    message: `The tool "${tool}" failed.`,
    detail,
    cause: error,
  });
};

const toolErrorOutcome = (result: RemoteResult, tool: string): Outcome => {
  const words = errorTextOf(result);
  const said = words === "" ? "its server gives no details" : words;
  return failed({
    code: "failed",
    tool,
    ran: true,
    retryable: false,
    message: `The tool "${tool}" failed: ${said}`,
  });
};

/** Removes terminal control characters. */
const errorTextOf = ({ content, structuredContent }: RemoteResult): string => {
  let words = "";
  for (const block of Array.isArray(content) ? content : []) {
    if (block?.type !== "text" || typeof block.text !== "string") continue;
    words += `${words === "" ? "" : "\n"}${block.text.slice(0, maxErrorTextLength + 1)}`;
    if (words.length > maxErrorTextLength) break;
  }
  if (words === "" && structuredContent !== undefined) words = JSON.stringify(structuredContent) ?? "";
  const plain = words.slice(0, maxErrorTextLength + 1).replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu, " ");
  return plain.length > maxErrorTextLength ? shorten(plain, maxErrorTextLength) : plain.trim();
};

export const quarantinedPageOutcome = (reason: string, tool: string): Outcome =>
  failed({
    code: "definition_changed",
    tool,
    ran: true,
    message: "The page of this app is quarantined, so it is not shown. An operator must review it first.",
    detail: reason,
  });

/** The reason quotes untrusted server text, so only operators see it. */
export const quarantinedToolOutcome = ({ reason, isApprovable }: ToolQuarantine, tool: string): Outcome => {
  const why = isApprovable ? "an operator must review its definition first" : "its definition cannot be used";
  return failed({
    code: "definition_changed",
    tool,
    ran: false,
    message: `The tool "${tool}" is quarantined, so it was not called: ${why}.`,
    detail: reason,
  });
};

const sendAndRead = async (
  { read, refuse, canTruncate, link }: RemoteCallSpec,
  request: McpSessionRequest,
  context: CallContext,
  input: unknown,
): Promise<unknown> => {
  const { tool, callId } = context;
  const endToolCall = request.caller?.calling?.(tool);
  try {
    const result = (await link.request(request, context.principal)) as RemoteResult;
    if (result.isError === true) {
      notifySafely(() => request.caller?.received?.(undefined, result, callId));
      return toolErrorOutcome(result, tool);
    }
    const refused = refuse?.(input, result as JsonObject);
    if (refused !== undefined) return quarantinedPageOutcome(refused, tool);
    const { value, parts, note } = read(result);
    if (note !== undefined) context.note(note);
    const rawValue = canTruncate ? await truncateResult(value, link, context) : value;
    const whole = parts === undefined ? rawValue : restoreParts(rawValue, parts);
    notifySafely(() => request.caller?.received?.(whole, result, callId, parts));
    const isPlain = parts === undefined;
    if (!isLabelledUntrusted(result)) return isPlain ? rawValue : withMedia(rawValue, parts);
    return withTaints(isPlain ? succeeded(rawValue) : withMedia(rawValue, parts), [tool]);
  } catch (error) {
    const refusal = protocolErrorIn(error);
    if (refusal !== undefined) notifySafely(() => request.caller?.refused?.(refusal, callId));
    return sessionFailureOutcome(error, tool);
  } finally {
    endToolCall?.();
  }
};

/** A label of the server can only raise protection: "trusted" is a claim. */
const isLabelledUntrusted = ({ _meta }: RemoteResult): boolean => {
  const label = isObject(_meta) ? _meta.ifc : undefined;
  return isObject(label) && label.integrity !== undefined && label.integrity !== "trusted";
};

const truncateResult = (
  value: unknown,
  { truncator }: ToolLink,
  { principal, tool, callId }: CallContext,
): unknown => (truncator === undefined ? value : truncator.truncate(value, { principal, tool, callId }));

const notifySafely = (listener: () => void): void => {
  try {
    listener();
  } catch {}
};

const protocolErrorIn = (error: unknown): McpProtocolError | undefined => {
  const cause = ToolError.is(error)
    ? (error.failure.cause as Partial<McpProtocolError> | undefined)
    : undefined;
  return typeof cause?.code === "number" ? (cause as McpProtocolError) : undefined;
};

const traceHeaderNames = ["traceparent", "tracestate", "baggage"];

/** A failing tracer must not fail the call. */
const callMetaOf = (
  idempotencyKey: string,
  traceHeaders: () => Readonly<Record<string, string>>,
): JsonObject => {
  const meta: Record<string, string> = { "haft/idempotencyKey": idempotencyKey };
  try {
    const headers = traceHeaders();
    for (const key of traceHeaderNames) {
      const value = headers[key];
      if (value !== undefined) meta[key] = value;
    }
  } catch {}
  return meta;
};
