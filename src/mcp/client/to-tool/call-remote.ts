import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TraceHeaders } from "../../../http/trace-headers.ts";
import type { JsonObject } from "../../../json/is-object.ts";
import type { CallContext, Run } from "../../../words/call.ts";
import { ToolError } from "../../../words/errors.ts";
import {
  CurrentCaller,
  type McpCaller,
  type Refusal,
  type RemoteResult,
  type SessionRequest,
} from "../../../words/mcp.ts";
import { withMedia } from "../../../words/outcome.ts";
import { type Principal, partyKeyOf } from "../../../words/principal.ts";
import { withParts } from "../content/media-blocks.ts";
import type { RemoteValue } from "../content/to-value.ts";
import { heldBack, pageHeldBack, saidError, toFailed } from "./failures.ts";
import type { ToolLink } from "./link.ts";

/** How one kind of request is made and its answer read. */
export interface RemoteCode {
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
export const callRemote = (code: RemoteCode): Run => {
  const { method, params, timeoutMs, link } = code;
  // Calls of two parties are two callers, although one function answers for both.
  const runtimeCaller = (principal: Principal): McpCaller => ({
    ...(link.ask === undefined ? {} : { ask: link.ask }),
    party: partyKeyOf(principal),
  });

  const start = (
    fiber: Fiber.Fiber<unknown, unknown>,
    input: unknown,
    context: CallContext,
  ): Promise<unknown> => {
    const held = link.held();
    if (held !== undefined) return Promise.resolve(heldBack(held, context.tool));
    const caller = fiber.getRef(CurrentCaller) ?? runtimeCaller(context.principal);
    const _meta = metaOf(context.idempotencyKey, fiber.getRef(TraceHeaders));
    const request: SessionRequest = {
      method,
      params: { ...params(input), _meta },
      signal: context.signal,
      timeoutMs,
      onProgress: context.progress,
      caller,
    };
    return answer(code, request, context, input);
  };

  return (input, context) => {
    // The corridor starts code inside of its own fiber, and waiting for a promise there costs no other one.
    const fiber = Fiber.getCurrent();
    if (fiber !== undefined) return start(fiber, input, context);
    return Effect.withFiber((own) => Effect.promise(() => start(own, input, context)));
  };
};

const answer = async (
  { read, refuse, canSpill, link }: RemoteCode,
  request: SessionRequest,
  context: CallContext,
  input: unknown,
): Promise<unknown> => {
  const { tool, callId } = context;
  const called = request.caller?.calling?.(tool);
  try {
    const result = (await link.request(request, context.principal)) as RemoteResult;
    if (result.isError === true) {
      tell(() => request.caller?.received?.(undefined, result, callId));
      return saidError(result, tool);
    }
    const refused = refuse?.(input, result as JsonObject);
    if (refused !== undefined) return pageHeldBack(refused, tool);
    const { value, parts, note } = read(result);
    if (note !== undefined) context.note(note);
    const given = canSpill ? await bounded(value, link, context) : value;
    const whole = parts === undefined ? given : withParts(given, parts);
    tell(() => request.caller?.received?.(whole, result, callId, parts));
    return parts === undefined ? given : withMedia(given, parts);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) tell(() => request.caller?.refused?.(refusal, callId));
    return toFailed(error, tool);
  } finally {
    called?.();
  }
};

const bounded = (value: unknown, { spill }: ToolLink, { principal, tool, callId }: CallContext): unknown =>
  spill === undefined ? value : spill.bound(value, { principal, tool, callId });

/** The call has been made, whatever a listener thinks of it. */
const tell = (listener: () => void): void => {
  try {
    listener();
  } catch {}
};

const refusalOf = (error: unknown): Refusal | undefined => {
  const cause = ToolError.is(error) ? (error.failure.cause as Partial<Refusal> | undefined) : undefined;
  return typeof cause?.code === "number" ? (cause as Refusal) : undefined;
};

const traceKeys = ["traceparent", "tracestate", "baggage"];

/** A broken tracer is no reason to fail. */
const metaOf = (idempotencyKey: string, traceHeaders: () => Readonly<Record<string, string>>): JsonObject => {
  const meta: Record<string, string> = { "haft/idempotencyKey": idempotencyKey };
  try {
    const headers = traceHeaders();
    for (const key of traceKeys) {
      const value = headers[key];
      if (value !== undefined) meta[key] = value;
    }
  } catch {}
  return meta;
};
