import type * as Effect from "effect/Effect";
import type { JsonLimits } from "../base/json/json-problem.ts";
import { classNameOf } from "../tools/class-implementation.ts";
import type { ApprovalRequest } from "../types/approval.ts";
import type { RawCall } from "../types/call.ts";
import { ToolError, toError } from "../types/errors.ts";
import type { FailureCode } from "../types/failures.ts";
import type { HydratedTool, HydrationError, HydrationResult, Provenance } from "../types/hydration.ts";
import type { Reply } from "../types/outcome.ts";
import { parseArguments } from "./1-hydrate/read-arguments.ts";
import { toModelText } from "./8-reply/reply.ts";
import { currentCall } from "./current-call.ts";
import type { PausedCall, RefusedCall } from "./hydrate-only.ts";

export interface PausedHydration {
  readonly call: PausedCall | RefusedCall;
  readonly at: number;
  readonly limits: JsonLimits;
  readonly run: (effect: Effect.Effect<Reply, ToolError>, tool: string) => Promise<Reply>;
  readonly askAgain: (waiting: ApprovalRequest) => Effect.Effect<Reply, ToolError>;
}

/** Repeated runs resume the call only once. */
export const toHydrationResult = (hydrating: PausedHydration): HydrationResult => {
  const { call, run, askAgain } = hydrating;
  if (call.kind === "refused") {
    const { reply } = call;
    return Object.freeze({
      success: false,
      errors: Object.freeze([toHydrationError(reply)]),
      provenance: toProvenance(hydrating),
      reply: () => Promise.resolve(reply),
    });
  }
  const { raw } = call.state.request;
  const runOrDecline = (effect: Effect.Effect<Reply, ToolError>): Promise<Reply> =>
    run(effect, raw.tool).catch((error: unknown) => toDeclinedReply(raw, error));
  const pollAfterPending = async (pendingReply: Reply): Promise<Reply> => {
    if (pendingReply.pending === undefined) return pendingReply;
    const again = await runOrDecline(askAgain(pendingReply.pending));
    return again.pending?.id === pendingReply.pending.id
      ? pendingReply
      : { ...again, id: raw.id, tool: raw.tool };
  };
  let resumed: Promise<Reply> | undefined;
  const resume = async (params?: unknown): Promise<Reply> => {
    const reader = currentCall();
    resumed = resumed === undefined ? runOrDecline(call.resume(params)) : resumed.then(pollAfterPending);
    const reply = await resumed;
    if (reply.taints !== undefined) reader?.addTaints(reply.taints);
    return reply;
  };
  return Object.freeze({
    success: true,
    errors: noHydrationErrors,
    provenance: toProvenance(hydrating),
    tool: toHydratedTool(call.instance ?? {}, resume),
    reply: () => resume(),
  });
};

const toDeclinedReply = ({ id, tool }: RawCall, error: unknown): Reply => {
  if (!ToolError.is(error)) throw error;
  const { failure } = error;
  return { id, tool, ok: false, text: toModelText(failure, tool), flow: { kind: "continue" }, failure };
};

const noHydrationErrors: readonly HydrationError[] = Object.freeze([]);

/** Replaces the instance's `run` with one that resumes the pipeline. */
const toHydratedTool = (instance: object, resume: (params?: unknown) => Promise<Reply>): HydratedTool => {
  const run = async (params?: unknown): Promise<unknown> => toValueOrThrow(await resume(params));
  const own = { value: run, configurable: true };
  if (!Object.isExtensible(instance)) return Object.create(instance, { run: own });
  return Object.defineProperty(instance, "run", own) as HydratedTool;
};

const toValueOrThrow = (reply: Reply): unknown => {
  if (reply.failure !== undefined) throw toError(reply.failure);
  if (reply.pending === undefined) return reply.value;
  throw toError({
    code: "approval_required",
    message: reply.text,
    tool: reply.tool,
    approval: reply.pending,
  });
};

const hydrationStages: Partial<Record<FailureCode, HydrationError["stage"]>> = {
  unreadable_input: "parse",
  invalid_input: "validate",
  failed: "instantiate",
};

const toHydrationError = ({ failure, text }: Reply): HydrationError => ({
  stage: (failure === undefined ? undefined : hydrationStages[failure.code]) ?? "find",
  message: failure?.message ?? text,
  ...(failure?.issues === undefined ? {} : { detail: failure.issues }),
});

const toProvenance = ({ call, at, limits }: PausedHydration): Provenance => {
  const { request, registration, provenance: note } = call.state;
  const { raw } = request;
  const parsed = typeof raw.input === "string" ? parseStrictly(raw, limits) : raw.input;
  const isMade = call.kind === "paused" && call.instance !== undefined;
  const className = isMade ? classNameOf(call.state.registration.tool) : undefined;
  return Object.freeze({
    providerToolId: raw.tool,
    callId: raw.id,
    ...(registration === undefined ? {} : { tool: registration.key }),
    ...(raw.part === undefined ? {} : { part: raw.part }),
    originalRawArgs: raw.input,
    ...(parsed === undefined ? {} : { parsed }),
    ...(call.kind === "paused" ? { validated: call.state.input } : {}),
    validator: note?.validator ?? null,
    at,
    ...(note?.validationMs === undefined ? {} : { validationMs: note.validationMs }),
    ...(className === undefined ? {} : { className }),
    repaired: note?.repaired ?? false,
    changes: note?.changes ?? [],
    ...(note?.noSchemaMode === undefined ? {} : { noSchemaMode: note.noSchemaMode }),
  });
};

const parseStrictly = ({ id, tool, input }: RawCall, limits: JsonLimits): unknown => {
  const reading = parseArguments({ id, tool, input }, limits, false);
  return reading.ok ? reading.value : undefined;
};
