import * as Prompt from "effect/ai/Prompt";
import * as Effect from "effect/Effect";
import type { Session } from "../../runtime/session.ts";
import { ToolError } from "../../words/errors.ts";
import type { BridgeOptions, PausedCallQuestion } from "../bridged-tool.ts";
import { settleRequests } from "../settle-requests.ts";
import { openRequests, withAnswers } from "./approval-parts.ts";

/** A prompt that says what the ledger knows. Go on with it when nothing waits. */
export interface SettledPrompt {
  readonly prompt: Prompt.Prompt;
  /** What a person must answer first: with `haft approve`, or with an approval response where `answeredBy` is set. */
  readonly waiting: readonly PausedCallQuestion[];
}

/**
 * Brings the approval parts of a prompt, such as a chat's history, and the ledger to the same state, both ways: what was
 * answered with `haft approve` becomes an approval response, and a response in the prompt is put on record if somebody
 * stands for it (`answeredBy`). One that nobody stands for is taken out.
 */
export const settleApprovals = (
  session: Session,
  prompt: Prompt.Prompt,
  { answeredBy }: BridgeOptions = {},
): Effect.Effect<SettledPrompt, ToolError> =>
  Effect.gen(function* () {
    const open = openRequests(prompt);
    const settled = yield* Effect.tryPromise({
      try: () => settleRequests(session, open, answeredBy),
      catch: (error) => error,
    }).pipe(Effect.catch((error) => (ToolError.is(error) ? Effect.fail(error) : Effect.die(error))));
    const answers = settled.flatMap(({ answer }, index) =>
      answer === undefined
        ? []
        : [
            Prompt.makePart("tool-approval-response", {
              approvalId: open[index]!.approvalId,
              approved: answer.approved,
              // Effect's own schema of a denial wants a reason.
              reason: answer.reason ?? (answer.approved ? undefined : "A person said no."),
            }),
          ],
    );
    return {
      prompt: withAnswers(prompt, open, answers),
      waiting: settled.flatMap((each) => each.waiting ?? []),
    };
  });
