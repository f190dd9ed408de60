import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { addRunTaints } from "../../call/recorder.ts";
import { spellingsOf } from "../../tool/name.ts";
import type { ToolError } from "../../words/errors.ts";
import type { Message, ToolMessage } from "../../words/message.ts";
import type { Shared } from "../shared.ts";
import { duringTurn, type LiveSession } from "./session-claim.ts";
import type { ReadSession } from "./session-options.ts";
import { patienceOf, toToolError } from "./session-scope.ts";

/**
 * What the model has read besides: words that are not to be trusted taint the session, and the ledger says so, because
 * whoever goes on with the session in another process must know.
 */
export const noteMessages = (
  shared: Shared,
  session: ReadSession,
  live: LiveSession,
  messages: readonly Message[],
): Effect.Effect<void, ToolError> => {
  const results = messages.filter((message) => message.role === "tool");
  if (results.length === 0) return Effect.void;
  const noted = duringTurn(shared.ledger, live, patienceOf(session), ({ scope }) =>
    Effect.gen(function* () {
      const taints = new Set<string>();
      for (const result of results) {
        const fresh = (result.taints ?? [result.tool]).filter((each) => !scope.tally.taints.includes(each));
        if (fresh.length === 0 || (yield* isOwn(shared, session, live, result))) continue;
        for (const each of fresh) taints.add(each);
      }
      if (taints.size === 0) return;
      addRunTaints(scope.tally, [...taints]);
      yield* writeNote(shared, session, scope.epoch, [...taints]);
    }),
  );
  return Effect.mapError(noted, toToolError);
};

/** A call of this session: what it read, the session knows. A name alone proves nothing, since others may have it too. */
const isOwn = (
  { ledger }: Shared,
  { runId }: ReadSession,
  live: LiveSession,
  { callId, tool, taints }: ToolMessage,
): Effect.Effect<boolean, ToolError> => {
  if (taints !== undefined) return Effect.succeed(false);
  if (live.isAllKnown) return Effect.succeed(live.seen.get(callId)?.includes(tool) === true);
  return Effect.map(ledger.entries({ runId, callId }), (entries) =>
    entries.some((entry) => spellingsOf(tool).includes(entry.tool) || entry.tool === tool),
  );
};

/** No tool's name has a colon, so this is no call of a tool. */
const noteTool = "session:note";

const writeNote = (
  { ledger, tools }: Shared,
  { principal, runId, id }: ReadSession,
  epoch: number | undefined,
  taints: readonly string[],
): Effect.Effect<void, ToolError> =>
  Effect.gen(function* () {
    const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
    const entryId = tools.newId("entry");
    const { agent, user, tenant } = principal;
    yield* ledger.open({
      entryId,
      callId: entryId,
      runId,
      tool: noteTool,
      input: JSON.stringify({ taints }),
      agent,
      session: id,
      user,
      tenant,
      correlationId: undefined,
      epoch,
      at,
    });
    yield* ledger.close({
      entryId,
      ending: "executed",
      tool: noteTool,
      code: undefined,
      message: undefined,
      decision: undefined,
      flow: "continue",
      result: "null",
      original: undefined,
      notes: [],
      durationMs: 0,
      taints,
      ran: false,
      epoch,
    });
  });
