import * as Effect from "effect/Effect";
import { addRunTaints, recordRunPlan, recordRunText } from "../../pipeline/recorder.ts";
import { textsOfMessages } from "../../pipeline/run-lineage.ts";
import { writeRunNote } from "../../pipeline/run-note.ts";
import { spellingsOf } from "../../tools/tool-name.ts";
import { type ToolError, toError } from "../../types/errors.ts";
import type { RunPlan } from "../../types/lineage.ts";
import type { Message, ToolMessage } from "../../types/message.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { type LiveSession, withSessionClaim } from "./session-claim.ts";
import type { ParsedSessionOptions } from "./session-options.ts";
import { claimFailureToError, claimWaitOf } from "./session-scope.ts";

/**
 * Taints the session with the content of other messages, and records the taints in the ledger for processes
 * that resume the session.
 */
export const recordSessionMessages = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  messages: readonly Message[],
): Effect.Effect<void, ToolError> => {
  const results = messages.filter((message) => message.role === "tool");
  const texts = textsOfMessages(messages, { isSource: () => true });
  if (texts.length === 0) return Effect.void;
  const noted = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope }) =>
    Effect.gen(function* () {
      for (const text of texts) recordRunText(scope.tally, text);
      const taints = new Set<string>();
      for (const result of results) {
        const fresh = (result.taints ?? [result.tool]).filter((each) => !scope.tally.taints.includes(each));
        if (fresh.length === 0 || (yield* isOwnResult(shared, session, live, result))) continue;
        for (const each of fresh) taints.add(each);
      }
      if (taints.size === 0) return;
      addRunTaints(scope.tally, [...taints]);
      yield* writeRunNote(shared.ledger, {
        name: "session:note",
        entryId: shared.tools.newId("entry"),
        runId: session.runId,
        epoch: scope.epoch,
        principal: session.principal,
        session: session.id,
        input: { taints: [...taints] },
        taints: [...taints],
      });
    }),
  );
  return Effect.mapError(noted, claimFailureToError);
};

/**
 * Results of this session's calls are already counted. The entry must exist, because other tools may have the
 * same name.
 */
const isOwnResult = (
  { ledger }: SharedRuntime,
  { runId }: ParsedSessionOptions,
  live: LiveSession,
  { callId, tool, taints }: ToolMessage,
): Effect.Effect<boolean, ToolError> => {
  if (taints !== undefined) return Effect.succeed(false);
  if (live.isAllKnown) return Effect.succeed(live.recordedCalls.get(callId)?.includes(tool) === true);
  return Effect.map(ledger.entries({ runId, callId }), (entries) =>
    entries.some((entry) => spellingsOf(tool).includes(entry.tool) || entry.tool === tool),
  );
};

export const recordSessionPlan = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  { uses }: RunPlan,
): Effect.Effect<void, ToolError> => {
  const plan = {
    uses: uses.map(({ tool, ...use }) => ({ ...use, tool: shared.registry.get(tool)?.key ?? tool })),
  };
  const recorded = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope }) =>
    Effect.gen(function* () {
      if (scope.tally.taints.length > 0) return yield* Effect.fail(toError(lateSessionPlan(session)));
      recordRunPlan(scope.tally, plan);
      yield* writeRunNote(shared.ledger, {
        name: "run:plan",
        entryId: shared.tools.newId("entry"),
        runId: session.runId,
        epoch: scope.epoch,
        principal: session.principal,
        session: session.id,
        input: plan,
      });
    }),
  );
  return Effect.mapError(recorded, claimFailureToError);
};

const lateSessionPlan = ({ id }: ParsedSessionOptions) => ({
  code: "invalid_config" as const,
  message: `The session "${id}" has read untrusted content, which could have written the plan. Declare the plan before the first turn.`,
});
