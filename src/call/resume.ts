import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { definitionHash } from "../define/definition-hash.ts";
import { hashInput } from "../json/hash-input.ts";
import type { ApprovalDecision, ApprovalRecord, Taken } from "../words/approval.ts";
import type { AuthorizedCall, BoundCall, HydratedCall, Trip } from "../words/call.ts";
import { type LedgerError, ToolApprovalError, type ToolError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { LedgerEntry } from "../words/ledger.ts";
import { failed, isOutcome, type Outcome } from "../words/outcome.ts";
import { isSameParty, type Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import type { AnyTool } from "../words/tool.ts";
import { find, type Shown } from "./1-hydrate/find.ts";
import { hydrate } from "./1-hydrate/hydrate.ts";
import { reviseInput } from "./1-hydrate/read-input.ts";
import { bind } from "./2-bind/bind.ts";
import type { Question } from "./3-authorize/authorize.ts";
import { isDecision } from "./3-authorize/waiting-room.ts";
import type { Scopes, Stack } from "./4-layers/stack.ts";
import type { House } from "./house.ts";
import type { Restore } from "./in-steps.ts";

/** The parts of the corridor that a call passes once it goes on. */
interface Parts<Walk> {
  readonly house: House;
  readonly waiting: {
    readonly leave: (id: string) => { readonly question: Question; readonly walk: Walk } | undefined;
    readonly settle: (question: Question, decision: ApprovalDecision) => AuthorizedCall | Outcome;
  };
  readonly stackOf: (tool: AnyTool, scopes: Scopes) => Pick<Stack, "approvers">;
  readonly anew: (trip: Trip, scopes: Scopes, clock: Clock.Clock, principal: Principal | undefined) => Walk;
  readonly finish: (walk: Walk, outcome: Outcome, call: BoundCall | undefined) => Effect.Effect<Reply>;
  readonly go: (
    walk: Walk,
    ready: AuthorizedCall | Outcome,
    call: BoundCall | undefined,
    restore: Restore,
  ) => Effect.Effect<Reply>;
}

/**
 * Goes on with a pending call, once: with the call that waits in this process, or with one made anew from what the
 * ledger kept of it.
 */
export const resumeCall = <Walk>(
  parts: Parts<Walk>,
  id: string,
  answer: ApprovalDecision | undefined,
  resuming: Resuming & { readonly restore: Restore },
): Effect.Effect<Reply, ToolError> =>
  Effect.gen(function* () {
    const { house, waiting, stackOf, anew, finish, go } = parts;
    const taken = yield* takeApproval(house, id, answer, resuming);
    const { record } = taken;
    const clock = yield* Clock.Clock;
    const seat = waiting.leave(id);
    const scopes = resuming.scopes ?? noScopes;
    const { trip, call } =
      seat === undefined ? yield* rebuild(house, record, resuming) : toSame(seat.question);
    const walk = seat?.walk ?? anew(trip, scopes, clock, resuming.principal);
    const known = isOutcome(call) ? undefined : call;
    if ("expired" in taken) return yield* finish(walk, expiredOutcome(record), known);
    if (isOutcome(call)) return yield* finish(walk, call, undefined);
    const question: Question = seat?.question ?? {
      kind: "question",
      call,
      reason: record.reason,
      approvers: stackOf(call.registration.tool, scopes).approvers,
    };
    return yield* go(walk, waiting.settle(question, taken.decision), call, resuming.restore);
  });

const toSame = ({ call }: Question) => ({ trip: call.trip, call });

const noScopes: Scopes = Object.freeze({ run: [], agent: [] });

/** Who goes on with a call, and with what if it has to be made anew. */
export interface Resuming {
  readonly principal: Principal | undefined;
  readonly by?: string | undefined;
  readonly scopes?: Scopes | undefined;
  readonly shown?: Shown | undefined;
  readonly env?: unknown;
  readonly tally?: Trip["scope"]["tally"];
}

/** The answer is there, and nobody else goes on with the call any more. */
interface Granted {
  readonly record: ApprovalRecord;
  readonly decision: ApprovalDecision;
}

/** Its time ran out: the call is over, and says so to whoever asks. */
interface Expired {
  readonly record: ApprovalRecord;
  readonly expired: true;
}

/**
 * Answers an approval where an answer is given, and takes the call, once. To anybody but its own caller the id does
 * not exist, and that somebody tried is on record.
 */
const takeApproval = (
  house: House,
  id: string,
  answer: ApprovalDecision | undefined,
  { principal, by }: Resuming,
): Effect.Effect<Granted | Expired, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    if (answer !== undefined && !isDecision(answer)) return yield* Effect.fail(unreadable());
    const book = house.approvals;
    const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
    const record = yield* book.find(id);
    if (record === undefined) return yield* Effect.fail(unknownApproval(id));
    if (principal === undefined || !isSameParty(record.principal, principal)) {
      yield* Effect.ignore(book.refuse(id, principal, at));
      return yield* Effect.fail(unknownApproval(id));
    }
    const wasOpen = record.status === "waiting" || record.status === "answered";
    if (answer !== undefined) {
      const said = yield* book.answer(id, { decision: answer, by, at });
      if (said === "unknown" || said === "already") return yield* Effect.fail(answered(record));
    }
    const taken = yield* book.take(id, at);
    if (taken.kind === "taken") {
      return { record: taken.record, decision: taken.record.decision ?? { kind: "deny" } };
    }
    if (taken.kind === "expired" && wasOpen) return { record, expired: true };
    return yield* Effect.fail(notTaken(taken.kind, record));
  });

const notTaken = (kind: Exclude<Taken["kind"], "taken">, record: ApprovalRecord): ToolApprovalError => {
  if (kind === "waiting") {
    const message = `The call of "${record.tool}" still waits for a person to answer the approval "${record.id}".`;
    return new ToolApprovalError("approval_required", message, { tool: record.tool });
  }
  return kind === "expired"
    ? new ToolApprovalError("approval_expired", expiredMessage(record), { tool: record.tool })
    : answered(record);
};

const expiredOutcome = (record: ApprovalRecord): Outcome =>
  failed({ code: "approval_expired", tool: record.tool, message: expiredMessage(record) });

const expiredMessage = ({ tool }: ApprovalRecord): string =>
  `Nobody approved the call of "${tool}" in time. It was not made.`;

/** The call as it was when it began to wait, made from what the ledger kept of it. */
const rebuild = (
  house: House,
  record: ApprovalRecord,
  resuming: Resuming,
): Effect.Effect<{ readonly trip: Trip; readonly call: BoundCall | Outcome }, ToolError> =>
  Effect.gen(function* () {
    const { ledger } = house;
    const kept = ledger.recall === undefined ? undefined : yield* ledger.recall(record.entryId);
    const trip = toTrip(record, kept?.entry, kept?.input, resuming);
    const call = again(house, record, trip, resuming);
    if (isOutcome(call)) {
      yield* Effect.ignore(house.approvals.annul(record.id, messageOf(call), record.askedAt));
    }
    return { trip, call };
  });

const toTrip = (
  record: ApprovalRecord,
  entry: LedgerEntry | undefined,
  input: string | undefined,
  { principal, env, tally }: Resuming,
): Trip => ({
  raw: { id: record.callId, tool: record.rawTool, input: input ?? record.input },
  entryId: record.entryId,
  scope: { id: record.runId, agent: record.principal.agent, tally },
  principal,
  correlationId: entry?.correlationId,
  env,
  repair: entry?.provenance?.repaired === true ? "deterministic" : "off",
  key: entry?.key,
  parentId: entry?.parentId,
  provenance: entry?.provenance,
  notes: [...(entry?.notes ?? [])],
});

/** The same tool under the same promise with the same arguments, or a failure that says what is not the same. */
const again = (
  house: House,
  record: ApprovalRecord,
  trip: Trip,
  { principal, shown }: Resuming,
): BoundCall | Outcome => {
  const { provenance } = trip;
  if (principal === undefined) return changed(record, "its caller is gone");
  const registration = find(house, record.rawTool, principal, shown);
  if (isOutcome(registration)) return registration;
  if (registration.key !== record.tool) return changed(record, "another tool has its name now");
  const { spec } = registration.tool;
  if (definitionHash(spec) !== record.definition) return changed(record, "the tool's definition has changed");
  const first = hydrate(house, trip, principal, shown);
  trip.provenance = provenance ?? trip.provenance;
  const base: HydratedCall = { trip, principal, registration, spec, input: record.input, validated: true };
  const candidates = isOutcome(first) ? [] : [first];
  const edited = reviseInput(house, base, record.input);
  if (!isOutcome(edited)) candidates.push(edited);
  const same = candidates.find(({ input }) => hashInput(input) === record.inputHash);
  return same === undefined ? changed(record, "its exact arguments are no longer kept") : bind(same);
};

const changed = ({ tool }: ApprovalRecord, why: string): Outcome =>
  failed({
    code: "approval_void",
    tool,
    message: `The approved call of "${tool}" cannot be made any more: ${why}.`,
  });

const messageOf = (outcome: Outcome): string =>
  outcome._tag === "failure" ? outcome.failure.message : outcome._tag;

const unreadable = (): ToolApprovalError =>
  approvalError(
    "unreadable_decision",
    'An approval is answered with { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }.',
  );

const unknownApproval = (id: string): ToolApprovalError =>
  approvalError("unknown_approval", `No call waits for the approval "${id}".`);

const answered = ({ id, answeredBy }: ApprovalRecord): ToolApprovalError => {
  const by = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  return approvalError(
    "unknown_approval",
    `No call waits for the approval "${id}" any more: it was answered${by}.`,
  );
};

const approvalError = (code: FailureCode, message: string): ToolApprovalError =>
  new ToolApprovalError(code, message);
