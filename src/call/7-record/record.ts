import * as Effect from "effect/Effect";
import type { AuthorizedCall, BoundCall, Trip } from "../../words/call.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Closing } from "../../words/ledger.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import type { Principal } from "../../words/principal.ts";
import type { House } from "../house.ts";

const nothing = (): undefined => undefined;
const asValue = { onSuccess: nothing, onFailure: (error: LedgerError) => error };

/** Opens the entry before anybody looks at the call. Answers with what went wrong, if anything. */
export const open = (
  house: House,
  trip: Trip,
  principal: Principal | undefined,
  at: number,
): Effect.Effect<LedgerError | undefined> =>
  Effect.match(
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
    asValue,
  );

/** Closes the entry. Only after this is there a reply. */
export const close = (
  house: House,
  trip: Trip,
  call: BoundCall | undefined,
  outcome: Outcome,
  text: string,
  durationMs: number,
): Effect.Effect<LedgerError | undefined> =>
  Effect.match(
    house.ledger.close({
      ...told(outcome, text),
      entryId: trip.entryId,
      tool: call?.registration.key,
      decision: decisionOf(call, outcome),
      notes: trip.notes,
      durationMs,
    }),
    asValue,
  );

type Told = Pick<Closing, "ending" | "code" | "message" | "flow" | "result" | "original">;

const told = (outcome: Outcome, text: string): Told => {
  if (outcome._tag === "value") {
    const { flow } = outcome;
    const original = flow.kind === "rewrite" ? toText(flow.original) : undefined;
    return {
      ending: "executed",
      code: undefined,
      message: undefined,
      flow: flow.kind,
      result: text,
      original,
    };
  }
  const { code, message } =
    outcome._tag === "failure" ? outcome.failure : { code: undefined, message: undefined };
  const ending = outcome._tag === "failure" ? "failed" : "pending";
  return { ending, code, message, flow: undefined, result: undefined, original: undefined };
};

/** A refusal's reason is in its failure, a grant's in the call. */
const decisionOf = (call: BoundCall | undefined, outcome: Outcome): string | undefined =>
  (call as Partial<AuthorizedCall> | undefined)?.grant?.decision ??
  (outcome._tag === "failure" ? outcome.failure.detail : undefined);

/** What a caller in this process passes may be anything; the ledger says so rather than failing over it. */
const toText = (value: unknown): string => {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[not JSON]";
  }
};

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
