import type * as Effect from "effect/Effect";
import type { RunLease } from "../pipeline/run-lease.ts";
import type { LedgerError } from "../types/errors.ts";
import type { Message, UserMessage } from "../types/message.ts";
import type { ClaimedRun } from "./claim-run.ts";

/** One answer in a chat, whose run never ends. */
export interface ChatTurn {
  readonly claimed: ClaimedRun;
  /** The chat handler releases it. */
  readonly lease: RunLease;
  readonly says?: UserMessage | undefined;
  readonly settlesOnly?: boolean | undefined;
  readonly onStored: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>;
}
