import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { toText } from "../../json/to-text.ts";
import type { AuthorizedCall, BoundCall, Trip } from "../../words/call.ts";
import { LedgerError } from "../../words/errors.ts";
import type { Closing } from "../../words/ledger.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { House } from "../house.ts";

/**
 * What became of a write: an Effect that answers with what went wrong, if anything, or `undefined` when it
 * is written already. A ledger in memory is done at once, and that should cost no step of the fiber.
 */
export type Written = Effect.Effect<LedgerError | undefined> | undefined;

const none: readonly string[] = Object.freeze([]);

const nothing = (): undefined => undefined;

/** A store that dies, or throws, is as good as one that says it cannot write. */
const toError = (cause: unknown): LedgerError => {
  const said = Cause.isCause(cause) ? Cause.squash(cause) : cause;
  if (said instanceof LedgerError) return said;
  return new LedgerError("ledger_unavailable", said instanceof Error ? said.message : String(said));
};

const toWritten = (write: () => Effect.Effect<void, LedgerError>): Written => {
  try {
    const writing = write();
    if (Exit.isExit(writing) && Exit.isSuccess(writing)) return undefined;
    return Effect.matchCause(writing, { onSuccess: nothing, onFailure: toError });
  } catch (thrown) {
    return Effect.succeed(toError(thrown));
  }
};

/** Opens the entry before anybody looks at the call. */
export const open = (house: House, trip: Trip, principal: Principal | undefined, at: number): Written =>
  toWritten(() =>
    house.ledger.open({
      entryId: trip.entryId,
      callId: trip.raw.id,
      runId: trip.scope.id,
      tool: trip.raw.tool,
      input: toText(trip.raw.input),
      agent: principal?.agent,
      session: principal?.session,
      correlationId: trip.correlationId,
      at,
    }),
  );

/** Closes the entry. Only after this is there a reply. */
export const close = (
  house: House,
  trip: Trip,
  call: BoundCall | undefined,
  outcome: Outcome,
  text: string,
  durationMs: number,
): Written => {
  const value = outcome._tag === "value" ? outcome : undefined;
  const failure = outcome._tag === "failure" ? outcome.failure : undefined;
  return toWritten(() =>
    house.ledger.close({
      entryId: trip.entryId,
      ending: value !== undefined ? "executed" : failure !== undefined ? "failed" : "pending",
      tool: call?.registration.key,
      code: failure?.code,
      message: failure?.message,
      decision: decisionOf(call, outcome),
      flow: value?.flow.kind,
      result: value === undefined ? undefined : text,
      original: value?.flow.kind === "rewrite" ? toText(value.flow.original) : undefined,
      notes: trip.notes.length === 0 ? none : trip.notes,
      provenance: trip.provenance,
      durationMs,
    }),
  );
};

/** Stage 1 is over and the rest is up to the orchestrator: the entry is closed once more when it goes on. */
export const closeHydrated = (house: House, trip: Trip, tool: string): Written =>
  closeEarly(house, trip, tool, { ending: "hydrated", code: undefined, message: undefined });

/** Its orchestrator let go of it. */
export const closeAbandoned = (house: House, trip: Trip, tool: string): Written =>
  closeEarly(house, trip, tool, {
    ending: "failed",
    code: "not_answered",
    message: "Nobody went on with the call after it was hydrated.",
  });

const closeEarly = (
  house: House,
  trip: Trip,
  tool: string,
  end: Pick<Closing, "ending" | "code" | "message">,
): Written =>
  toWritten(() =>
    house.ledger.close({
      entryId: trip.entryId,
      tool,
      ...end,
      decision: undefined,
      flow: undefined,
      result: undefined,
      original: undefined,
      notes: trip.notes.length === 0 ? none : trip.notes,
      provenance: trip.provenance,
      durationMs: 0,
    }),
  );

/** A refusal's reason is in its failure, a grant's in the call. */
const decisionOf = (call: BoundCall | undefined, outcome: Outcome): string | undefined =>
  (call as Partial<AuthorizedCall> | undefined)?.grant?.decision ??
  (outcome._tag === "failure" ? outcome.failure.detail : undefined);

/** Without an entry nothing runs, save a read where the operator said it may. */
export const unrecorded = (key: string, error: LedgerError, ran: boolean): Outcome =>
  failed({
    code: "ledger_unavailable",
    tool: key,
    ran,
    message: ran
      ? `The tool "${key}" ran, but its outcome could not be recorded. Do not call it again for the same purpose.`
      : `The tool "${key}" cannot run because calls cannot be recorded right now.`,
    detail: error.message,
    cause: error,
  });
