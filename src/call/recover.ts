import * as Effect from "effect/Effect";
import type { CallRequest } from "../words/call.ts";
import type { AnyToolError, LedgerError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { Recalled } from "../words/ledger.ts";
import { failed, isOutcome, type Outcome } from "../words/outcome.ts";
import type { Reply } from "../words/reply.ts";
import { isIdempotent } from "../words/spec.ts";
import { findTool } from "./1-hydrate/find-tool.ts";
import { toReply } from "./8-reply/reply.ts";
import { runCall } from "./call.ts";
import type { CallServices } from "./call-services.ts";
import type { RawCallOptions } from "./call-state.ts";
import { outcomeOf } from "./idempotency.ts";
import { resumeCall } from "./pending/resume-call.ts";
import { toWaiting } from "./pending/suspended-call.ts";

/**
 * The reply to a call that an earlier process may have made. What ended is told again and never made again; what
 * waited goes on if it was answered; what was under way is unknown, and made again only if the tool is idempotent.
 * What never started is made now.
 */
export const recoverCall = (
  services: CallServices,
  request: CallRequest,
  options?: RawCallOptions,
): Effect.Effect<Reply> => {
  const recovered = Effect.gen(function* () {
    const kept = yield* findEntry(services, request);
    if (kept === undefined || kept.entry.ending === "hydrated") {
      return yield* runCall(services, request, options);
    }
    const { entry, result = "" } = kept;
    if (entry.ending === "pending") return yield* resumePending(services, request, kept);
    if (entry.ending === "unknown" && mayRepeat(services, request)) {
      const again = Object.freeze({ ...request, entryId: entry.entryId });
      return yield* runCall(services, again, { ...options, notes: [madeAgain] });
    }
    const outcome = outcomeOf(kept) ?? underWay(entry.tool);
    return toReply(request.raw, outcome, result, services.redactor, entry.taints);
  });
  return Effect.catch(recovered, (error: AnyToolError) =>
    Effect.succeed(toReply(request.raw, failed(error.failure), "", services.redactor)),
  );
};

const madeAgain = "made again: its process ended before it was known what came of it";

/** The entry of the call itself: one that only says that its id came twice is none. */
const findEntry = (
  { ledger }: CallServices,
  { raw, scope }: CallRequest,
): Effect.Effect<Recalled | undefined, LedgerError> =>
  Effect.flatMap(ledger.entries({ runId: scope.id, callId: raw.id }), (entries) => {
    const entry = entries.findLast(({ code }) => code !== "unreadable_call") ?? entries.at(-1);
    if (entry === undefined) return Effect.succeed(undefined);
    const bare: Recalled = { entry, input: undefined, result: entry.result };
    if (ledger.recall === undefined) return Effect.succeed(bare);
    return Effect.map(ledger.recall(entry.entryId), (kept) => kept ?? bare);
  });

const resumePending = (
  services: CallServices,
  request: CallRequest,
  { entry }: Recalled,
): Effect.Effect<Reply, AnyToolError> =>
  Effect.gen(function* () {
    const { raw, principal, env, layers, shown, scope } = request;
    const asked = yield* services.approvals.list({ runId: entry.runId });
    const own = asked.filter(({ entryId }) => entryId === entry.entryId);
    const record = own.findLast(({ status }) => status === "waiting" || status === "answered") ?? own.at(-1);
    if (record === undefined) return toReply(raw, notAsked(entry.tool), "", services.redactor);
    const answer = resumeCall(services, record.id, undefined, { principal, env, layers, shown, scope });
    return yield* Effect.catchIf(
      answer,
      (error) => waitsOn.has(error.code),
      () => Effect.map(toWaiting(services, record), (waits) => toReply(raw, waits, "", services.redactor)),
    );
  });

/** Nobody has answered yet, or the tool is not here: somebody who has it may still go on. */
const waitsOn: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "approval_required",
  "unknown_tool",
  "ambiguous_tool",
  "not_visible",
]);

const mayRepeat = (services: CallServices, { raw, principal, shown }: CallRequest): boolean => {
  const found = principal === undefined ? undefined : findTool(services, raw.tool, principal, shown);
  return found !== undefined && !isOutcome(found) && isIdempotent(found.tool.spec);
};

const notAsked = (tool: string): Outcome =>
  failed({
    code: "approval_required",
    tool,
    message: `The call of "${tool}" waits for an approval that is not on record any more. It was not made.`,
  });

const underWay = (tool: string): Outcome =>
  failed({ code: "still_running", tool, message: `The call of "${tool}" is under way in another process.` });
