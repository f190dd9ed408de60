import type * as Effect from "effect/Effect";
import type { LedgerError } from "../types/errors.ts";
import type { Message, UserMessage } from "../types/message.ts";
import type { ClaimedRun } from "./claim-run.ts";

/**
 * One answer in a chat: a run that is open for good goes on with what a person says. Whoever claimed the run lets go of
 * it; the loop only writes under that claim.
 */
export interface ChatTurn {
  readonly claimed: ClaimedRun;
  /** Put behind the conversation once the calls of the last answer have theirs. Without it, what was left is gone on with. */
  readonly says?: UserMessage | undefined;
  /** Only gives the calls that were left their answers, and asks no model. */
  readonly settlesOnly?: boolean | undefined;
  /** Hears the whole conversation each time that more of it is on record. */
  readonly onKept: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>;
}
