import type * as Effect from "effect/Effect";
import type { LedgerError } from "../types/errors.ts";
import type { Message, UserMessage } from "../types/message.ts";
import type { ClaimedRun } from "./claim-run.ts";

/** One answer in a chat, whose run never ends. The chat handler owns and releases the claim. */
export interface ChatTurn {
  readonly claimed: ClaimedRun;
  readonly says?: UserMessage | undefined;
  readonly settlesOnly?: boolean | undefined;
  readonly onStored: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>;
}
