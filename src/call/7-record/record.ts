import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { definitionHash } from "../../define/definition-hash.ts";
import { hashInput } from "../../json/hash-input.ts";
import { toText } from "../../json/to-text.ts";
import type { ApprovalRecord, ApprovalRequest } from "../../words/approval.ts";
import type { AuthorizedCall, BoundCall, Trip } from "../../words/call.ts";
import { LedgerError } from "../../words/errors.ts";
import type { Failure } from "../../words/failure.ts";
import type { Closing } from "../../words/ledger.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import { type Principal, partyOf } from "../../words/principal.ts";
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
export const open = (house: House, trip: Trip, principal: Principal | undefined, at: number): Written => {
  // Most callers are their own; a borrower is known by whoever lent it its right too.
  const party = principal?.within === undefined ? principal : partyOf(principal);
  return toWritten(() =>
    house.ledger.open({
      entryId: trip.entryId,
      callId: trip.raw.id,
      runId: trip.scope.id,
      tool: trip.raw.tool,
      input: toText(trip.raw.input),
      agent: party?.agent,
      session: party?.session,
      user: party?.user,
      tenant: party?.tenant,
      parentId: trip.parentId,
      key: trip.key,
      correlationId: trip.correlationId,
      at,
    }),
  );
};

/** How a call ended, as far as it came. */
export interface Ended {
  readonly trip: Trip;
  readonly call: BoundCall | undefined;
  readonly outcome: Outcome;
  /** The value's JSON text. */
  readonly text: string;
  readonly durationMs: number;
  readonly layers: readonly string[] | undefined;
  /** Whose words are in the outcome, as far as they are not to be trusted. */
  readonly taints: readonly string[] | undefined;
}

/** Closes the entry. Only after this is there a reply. */
export const close = (house: House, ended: Ended): Written => {
  const { trip, call, outcome, text, durationMs, layers, taints } = ended;
  const value = outcome._tag === "value" ? outcome : undefined;
  const failure = outcome._tag === "failure" ? outcome.failure : undefined;
  return toWritten(() =>
    house.ledger.close({
      entryId: trip.entryId,
      ending: value !== undefined ? "executed" : failure !== undefined ? "failed" : "pending",
      tool: call?.registration.key,
      code: failure?.code,
      message: failure?.message,
      ...circumstances(call, layers, failure),
      decision: decisionOf(call, outcome),
      flow: value?.flow.kind,
      result: value === undefined ? undefined : text,
      original: value?.flow.kind === "rewrite" ? toText(value.flow.original) : undefined,
      notes: trip.notes.length === 0 ? none : trip.notes,
      provenance: trip.provenance,
      durationMs,
      cost: trip.cost,
      taints,
      ran: hasRun(trip),
      ranWith: trip.ranWith === undefined ? undefined : toText(trip.ranWith.input),
      handoff: value?.flow.kind === "handoff" ? value.flow.agent : undefined,
      approval: approvalOf(trip, call, outcome),
      full: isFull(house, call),
    }),
  );
};

/** What is on disk before a risky call starts, whatever happens to the machine. */
export const intend = (
  house: House,
  call: AuthorizedCall,
  layers: readonly string[],
  at: number,
): Written => {
  const { ledger } = house;
  if (ledger.intend === undefined || !isFull(house, call)) return undefined;
  const { entryId } = call.trip;
  const intent = { entryId, tool: call.registration.key, at, full: true, decision: call.grant.decision };
  return toWritten(() => ledger.intend!({ ...circumstances(call, layers), ...intent }));
};

/** Whether not even a power cut may lose it. */
export const isFull = ({ settings }: House, call: BoundCall | undefined): boolean =>
  call !== undefined && settings.fullSync.includes(call.spec.risk);

const circumstances = (
  call: BoundCall | undefined,
  layers: readonly string[] | undefined,
  failure?: Failure,
) => ({
  ruleIds: (call as Partial<AuthorizedCall> | undefined)?.grant?.ruleIds ?? failure?.ruleIds,
  definition: call === undefined ? undefined : definitionHash(call.spec),
  implementation: call?.registration.tool.implementation._tag,
  layers,
});

/** Whether the code may have taken effect: whoever answers in its place cannot know. */
export const hasRun = ({ runs = 0 }: Trip): boolean => runs > 0;

/** What a person was asked about this call, if one was: the answer is still to come, or it came at once. */
const approvalOf = (
  trip: Trip,
  call: BoundCall | undefined,
  outcome: Outcome,
): ApprovalRecord | undefined => {
  if (call === undefined) return undefined;
  if (outcome._tag === "pending") return toRecord(trip, call, outcome.approval, { status: "waiting" });
  const approved = (call as Partial<AuthorizedCall>).grant?.approval;
  if (approved === undefined) return undefined;
  const { request, decision } = approved;
  return toRecord(trip, call, request, { status: "used", decision });
};

const toRecord = (
  trip: Trip,
  call: BoundCall,
  request: ApprovalRequest,
  answer: Pick<ApprovalRecord, "status" | "decision">,
): ApprovalRecord => ({
  id: request.id,
  entryId: trip.entryId,
  callId: trip.raw.id,
  runId: trip.scope.id,
  tool: call.registration.key,
  rawTool: trip.raw.tool,
  principal: call.principal,
  input: request.input,
  inputHash: hashInput(request.input),
  definition: definitionHash(call.spec),
  reason: request.reason,
  askedAt: request.askedAt ?? 0,
  expiresAt: request.expiresAt,
  ...answer,
});

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
