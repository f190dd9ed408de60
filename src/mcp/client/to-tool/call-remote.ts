import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TraceHeaders } from "../../../base/http/trace-headers.ts";
import type { JsonObject } from "../../../base/json/is-object.ts";
import type { CallContext, ToolFunction } from "../../../types/call.ts";
import { ToolError } from "../../../types/errors.ts";
import {
  CurrentMcpCaller,
  type McpCaller,
  type McpProtocolError,
  type McpSessionRequest,
  type RemoteResult,
} from "../../../types/mcp.ts";
import { withMedia } from "../../../types/outcome.ts";
import { callerKeyOf, type Principal } from "../../../types/principal.ts";
import { restoreParts } from "../content/media-blocks.ts";
import type { RemoteValue } from "../content/to-tool-value.ts";
import {
  quarantinedPageOutcome,
  quarantinedToolOutcome,
  sessionFailureOutcome,
  toolErrorOutcome,
} from "./remote-outcomes.ts";
import type { ToolLink } from "./tool-link.ts";

/** How one kind of request is made and its answer read. */
export interface RemoteCallSpec {
  readonly method: string;
  /** Without `_meta`, which is the same for all. */
  readonly params: (input: unknown) => JsonObject;
  readonly read: (result: RemoteResult) => RemoteValue;
  /** Why an answer is not handed on. */
  readonly refuse?: (input: unknown, result: JsonObject) => string | undefined;
  /** What an output schema promises cannot be replaced by a handle; the corridor bounds it like any value. */
  readonly canSpill: boolean;
  readonly timeoutMs: number;
  readonly link: ToolLink;
}

/**
 * Asks the server. It is never asked twice: a call that was under way when its connection died is over, and whether
 * it may be made again is for the layers to say.
 */
export const createRemoteCall = (code: RemoteCallSpec): ToolFunction => {
  const { method, params, timeoutMs, link } = code;
  // Calls of two parties are two callers, although one function answers for both.
  const runtimeCaller = (principal: Principal): McpCaller => ({
    ...(link.ask === undefined ? {} : { ask: link.ask }),
    party: callerKeyOf(principal),
  });

  const start = (
    fiber: Fiber.Fiber<unknown, unknown>,
    input: unknown,
    context: CallContext,
  ): Promise<unknown> => {
    const held = link.held();
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
    // The corridor starts code inside of its own fiber, and waiting for a promise there costs no other one.
    const fiber = Fiber.getCurrent();
    if (fiber !== undefined) return start(fiber, input, context);
    return Effect.withFiber((own) => Effect.promise(() => start(own, input, context)));
  };
};

const sendAndRead = async (
  { read, refuse, canSpill, link }: RemoteCallSpec,
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
    const rawValue = canSpill ? await truncateResult(value, link, context) : value;
    const whole = parts === undefined ? rawValue : restoreParts(rawValue, parts);
    notifySafely(() => request.caller?.received?.(whole, result, callId, parts));
    return parts === undefined ? rawValue : withMedia(rawValue, parts);
  } catch (error) {
    const refusal = protocolErrorIn(error);
    if (refusal !== undefined) notifySafely(() => request.caller?.refused?.(refusal, callId));
    return sessionFailureOutcome(error, tool);
  } finally {
    endToolCall?.();
  }
};

const truncateResult = (
  value: unknown,
  { spill }: ToolLink,
  { principal, tool, callId }: CallContext,
): unknown => (spill === undefined ? value : spill.bound(value, { principal, tool, callId }));

/** The call has been made, whatever a listener thinks of it. */
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

/** A broken tracer is no reason to fail. */
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
