import * as Effect from "effect/Effect";
import type { ApprovalRecord } from "../words/approval.ts";
import type { Trip } from "../words/call.ts";
import type { LedgerError, ToolError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { Recalled } from "../words/ledger.ts";
import { failed, type Outcome, pending } from "../words/outcome.ts";
import type { Reply } from "../words/reply.ts";
import { isIdempotent } from "../words/spec.ts";
import { find, type Shown } from "./1-hydrate/find.ts";
import type { Scopes } from "./4-layers/stack.ts";
import { toReply } from "./8-reply/reply.ts";
import type { ToolCorridor } from "./call.ts";
import type { House } from "./house.ts";
import { outcomeOf } from "./once.ts";

interface Parts extends Pick<ToolCorridor, "walk" | "resume"> {
  readonly house: House;
}

/**
 * The reply to a call that an earlier process may have made. What ended is told again and never made again; what
 * waited goes on if it was answered; what was under way is unknown, and made again only if that cannot do harm.
 */
export const recoverCall = (
  parts: Parts,
  trip: Trip,
  scopes: Scopes,
  shown: Shown | undefined,
): Effect.Effect<Reply> => {
  const { house, walk } = parts;
  const recovered = Effect.gen(function* () {
    const kept = yield* recallLast(house, trip);
    if (kept === undefined || kept.entry.ending === "hydrated") return yield* walk(trip, scopes, shown);
    const { entry, result = "" } = kept;
    if (entry.ending === "pending") return yield* goOn(parts, trip, kept, scopes, shown);
    if (entry.ending === "unknown" && mayRepeat(house, trip, shown)) {
      const notes = [...trip.notes, "made again: its process ended before it was known what came of it"];
      return yield* walk({ ...trip, entryId: entry.entryId, notes }, scopes, shown);
    }
    const outcome = outcomeOf(kept) ?? underWay(entry.tool);
    return toReply(trip.raw, outcome, result, house.redactor, entry.taints);
  });
  return Effect.catch(recovered, (error: ToolError) =>
    Effect.succeed(toReply(trip.raw, failed(error.failure), "", house.redactor)),
  );
};

/** The entry of the call itself: one that only says that its id came twice is none. */
const recallLast = (
  { ledger }: House,
  { raw, scope }: Trip,
): Effect.Effect<Recalled | undefined, LedgerError> =>
  Effect.flatMap(ledger.entries({ runId: scope.id, callId: raw.id }), (entries) => {
    const entry = entries.findLast(({ code }) => code !== "unreadable_call") ?? entries.at(-1);
    if (entry === undefined) return Effect.succeed(undefined);
    const bare: Recalled = { entry, input: undefined, result: entry.result };
    if (ledger.recall === undefined) return Effect.succeed(bare);
    return Effect.map(ledger.recall(entry.entryId), (kept) => kept ?? bare);
  });

const goOn = (
  { house, resume }: Parts,
  trip: Trip,
  { entry }: Recalled,
  scopes: Scopes,
  shown: Shown | undefined,
): Effect.Effect<Reply, ToolError> =>
  Effect.gen(function* () {
    const asked = yield* house.approvals.list({ runId: entry.runId });
    const own = asked.filter(({ entryId }) => entryId === entry.entryId);
    const record = own.findLast(({ status }) => status === "waiting" || status === "answered") ?? own.at(-1);
    if (record === undefined) return toReply(trip.raw, unasked(entry.tool), "", house.redactor);
    const { principal, env, scope } = trip;
    const resuming = { principal, env, scopes, shown, tally: scope.tally };
    const answer = resume(record.id, undefined, resuming);
    return yield* Effect.catchIf(
      answer,
      (error) => waitsOn.has(error.code),
      () => Effect.succeed(toReply(trip.raw, stillPending(record), "", house.redactor)),
    );
  });

/** Nobody has answered yet, or the tool is not here: somebody who has it may still go on. */
const waitsOn: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "approval_required",
  "unknown_tool",
  "ambiguous_tool",
  "not_visible",
]);

const stillPending = (record: ApprovalRecord): Outcome => {
  const { id, callId, runId, tool, principal, input, reason, askedAt, expiresAt } = record;
  const request = { id, callId, runId, tool, principal, input, reason, askedAt };
  return pending(expiresAt === undefined ? request : { ...request, expiresAt });
};

const mayRepeat = (house: House, { raw, principal }: Trip, shown: Shown | undefined): boolean => {
  const found = principal === undefined ? undefined : find(house, raw.tool, principal, shown);
  return found !== undefined && "tool" in found && isIdempotent(found.tool.spec);
};

const unasked = (tool: string): Outcome =>
  failed({
    code: "approval_required",
    tool,
    message: `The call of "${tool}" waits for an approval that is not on record any more. It was not made.`,
  });

const underWay = (tool: string): Outcome =>
  failed({ code: "still_running", tool, message: `The call of "${tool}" is under way in another process.` });
