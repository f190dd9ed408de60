import type * as Effect from "effect/Effect";
import type { JsonLimits } from "../json/limits.ts";
import { readJson } from "../json/read-json.ts";
import type { Trip } from "../words/call.ts";
import { toError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { HydratedTool, HydrationError, HydrationResult, Provenance } from "../words/hydration.ts";
import type { Reply } from "../words/reply.ts";
import type { WaitingCall } from "./in-steps.ts";

export interface Hydrating {
  readonly trip: Trip;
  readonly waiting: WaitingCall | Reply;
  readonly at: number;
  readonly limits: JsonLimits;
  /** How this side of the promise door runs what goes on. */
  readonly run: (effect: Effect.Effect<Reply>) => Promise<Reply>;
}

/** A call after stage 1 as an orchestrator sees it. However often it is run, it goes on once. */
export const toHydrationResult = (hydrating: Hydrating): HydrationResult => {
  const { waiting, run } = hydrating;
  if (!("go" in waiting)) {
    return Object.freeze({
      success: false,
      errors: Object.freeze([toHydrationError(waiting)]),
      provenance: toProvenance(hydrating),
      reply: () => Promise.resolve(waiting),
    });
  }
  let going: Promise<Reply> | undefined;
  const go = (params?: unknown): Promise<Reply> => {
    going ??= run(waiting.go(params));
    return going;
  };
  return Object.freeze({
    success: true,
    errors: none,
    provenance: toProvenance(hydrating),
    tool: toHandle(waiting.subject ?? {}, go),
    reply: () => go(),
  });
};

const none: readonly HydrationError[] = Object.freeze([]);

/** An instance keeps everything but its `run`, which now leads down the corridor. */
const toHandle = (subject: object, go: (params?: unknown) => Promise<Reply>): HydratedTool => {
  const run = async (params?: unknown): Promise<unknown> => toValue(await go(params));
  const own = { value: run, configurable: true };
  // An instance that its constructor froze stands behind a handle of its own.
  if (!Object.isExtensible(subject)) return Object.create(subject, { run: own });
  return Object.defineProperty(subject, "run", own) as HydratedTool;
};

const toValue = (reply: Reply): unknown => {
  if (reply.failure !== undefined) throw toError(reply.failure);
  if (reply.pending === undefined) return reply.value;
  throw toError({
    code: "approval_required",
    message: reply.text,
    tool: reply.tool,
    approval: reply.pending,
  });
};

const stages: Partial<Record<FailureCode, HydrationError["stage"]>> = {
  unreadable_input: "parse",
  invalid_input: "validate",
  failed: "instantiate",
};

const toHydrationError = ({ failure, text }: Reply): HydrationError => ({
  stage: (failure === undefined ? undefined : stages[failure.code]) ?? "find",
  message: failure?.message ?? text,
  ...(failure?.issues === undefined ? {} : { detail: failure.issues }),
});

const toProvenance = ({ trip, waiting, at, limits }: Hydrating): Provenance => {
  const call = "go" in waiting ? waiting.call : undefined;
  const note = (call?.trip ?? trip).provenance;
  const parsed = toParsed(trip.raw.input, limits);
  return Object.freeze({
    providerToolId: trip.raw.tool,
    callId: trip.raw.id,
    ...(call === undefined ? {} : { tool: call.registration.key }),
    originalRawArgs: trip.raw.input,
    ...(parsed === undefined ? {} : { parsed }),
    ...(call === undefined ? {} : { validated: call.input }),
    validator: note?.validator ?? null,
    at,
    repaired: note?.repaired ?? false,
    changes: note?.changes ?? [],
    ...(note?.noSchemaMode === undefined ? {} : { noSchemaMode: note.noSchemaMode }),
  });
};

const toParsed = (input: unknown, limits: JsonLimits): unknown => {
  if (typeof input !== "string") return input;
  const reading = readJson(input, limits);
  return reading.ok ? reading.value : undefined;
};
