import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ClaimedRun } from "../../agent/claim-run.ts";
import { isResumable } from "../../ledger/is-resumable.ts";
import { loadRunCounters } from "../../pipeline/run-counters.ts";
import type { RunLease } from "../../pipeline/run-lease.ts";
import { ConfigurationError, type LedgerError } from "../../types/errors.ts";
import type { LedgerStore } from "../../types/ledger.ts";
import type { UserMessage } from "../../types/message.ts";
import type { RunRecord, RunStore } from "../../types/run-store.ts";
import type { ChatIdentity } from "./chat-identity.ts";

export class ChatClaimRefusal {
  readonly reason: "busy" | "deleted" | "none";

  constructor(reason: ChatClaimRefusal["reason"]) {
    this.reason = reason;
  }
}

export interface ClaimedChat extends ClaimedRun {
  /** Undefined if the message is already recorded. */
  readonly says: UserMessage | undefined;
}

/** Claims the chat, or creates it with the first message. One of several concurrent claims succeeds. */
export const claimChat = (
  runs: RunStore,
  chat: ChatIdentity,
  newMessage: UserMessage | undefined,
  clock: Clock.Clock,
): Effect.Effect<number, LedgerError | ChatClaimRefusal> =>
  Effect.gen(function* () {
    const epoch = yield* runs.claim(chat.runId, clock.currentTimeMillisUnsafe());
    return epoch ?? (yield* beginChat(runs, chat, newMessage, clock.currentTimeMillisUnsafe()));
  });

export const readClaimedChat = (
  ledger: LedgerStore,
  runs: RunStore,
  { runId, epoch }: RunLease,
  newMessage: UserMessage | undefined,
): Effect.Effect<ClaimedChat, LedgerError | ConfigurationError | ChatClaimRefusal> =>
  Effect.gen(function* () {
    const record = yield* runs.find(runId);
    if (record === undefined) return yield* Effect.fail(new ChatClaimRefusal("none"));
    if (record.messages.length === 0) return yield* Effect.fail(noStoredTextsError());
    const tally = yield* loadRunCounters(ledger, runId);
    const isRecorded = record.messages.some(
      (message) => message.role === "user" && message.id !== undefined && message.id === newMessage?.id,
    );
    return { record: countFromLastMessage(record), epoch, tally, says: isRecorded ? undefined : newMessage };
  });

const beginChat = (
  runs: RunStore,
  { runId, agent, principal }: ChatIdentity,
  newMessage: UserMessage | undefined,
  at: number,
): Effect.Effect<number, LedgerError | ChatClaimRefusal> =>
  Effect.gen(function* () {
    const found = yield* runs.find(runId);
    if (found !== undefined) {
      return yield* Effect.fail(new ChatClaimRefusal(isResumable(found.status) ? "busy" : "deleted"));
    }
    if (newMessage === undefined) return yield* Effect.fail(new ChatClaimRefusal("none"));
    const begun = runs.begin({ runId, agent, principal, messages: [newMessage], at });
    return yield* Effect.catch(begun, (error) =>
      Effect.flatMap(runs.find(runId), (now) =>
        Effect.fail(now === undefined ? error : new ChatClaimRefusal("busy")),
      ),
    );
  });

const countFromLastMessage = (record: RunRecord): RunRecord => ({
  ...record,
  given: record.messages.findLastIndex((message) => message.role === "user" && message.id !== undefined) + 1,
});

const noStoredTextsError = (): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    "This ledger does not store exact texts, so chats cannot continue. Set HAFT_LEDGER_KEY: the texts are encrypted with it.",
  );
