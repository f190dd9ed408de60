import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { type ToolError, toError } from "../../words/errors.ts";
import type { Shared } from "../shared.ts";
import { duringTurn, type LiveSession } from "./session-claim.ts";
import type { ReadSession } from "./session-options.ts";
import { patienceOf, toToolError } from "./session-scope.ts";

/** Ends the session for good: its open questions are void, and no turn of it begins any more. */
export const endSession = (
  shared: Shared,
  session: ReadSession,
  live: LiveSession,
): Effect.Effect<void, ToolError> => {
  const ended = duringTurn(shared.ledger, live, patienceOf(session), (claim) =>
    Effect.gen(function* () {
      if (claim.holders > 1) return yield* Effect.fail(toError(stillUnderWay(session)));
      const { book } = claim;
      if (book === undefined) return;
      const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
      yield* book.giveUp(session.runId, session.principal.agent, at);
      claim.isEnded = true;
    }),
  );
  return Effect.mapError(ended, toToolError);
};

const stillUnderWay = ({ id }: ReadSession) => ({
  code: "still_running" as const,
  message: `Calls of the session "${id}" are under way. End it when they are over.`,
});
