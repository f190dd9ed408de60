import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { type ToolError, toError } from "../../types/errors.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { type LiveSession, withSessionClaim } from "./session-claim.ts";
import type { ParsedSessionOptions } from "./session-options.ts";
import { claimFailureToError, claimWaitOf } from "./session-scope.ts";

export const endSession = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
): Effect.Effect<void, ToolError> => {
  const ended = withSessionClaim(shared.ledger, live, claimWaitOf(session), (claim) =>
    Effect.gen(function* () {
      if (claim.holders > 1) return yield* Effect.fail(toError(callsRunningFailure(session)));
      const { runs } = claim;
      if (runs === undefined) return;
      const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
      yield* runs.giveUp(session.runId, session.principal.agent, at);
      claim.isEnded = true;
    }),
  );
  return Effect.mapError(ended, claimFailureToError);
};

const callsRunningFailure = ({ id }: ParsedSessionOptions) => ({
  code: "still_running" as const,
  message: `Calls of the session "${id}" are under way. End it when they are over.`,
});
