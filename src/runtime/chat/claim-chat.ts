import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { ClaimedRun } from "../../agent/claim-run.ts";
import { isResumable } from "../../ledger/is-resumable.ts";
import { loadRunCounters } from "../../pipeline/run-counters.ts";
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

/** Claims the chat, and creates it with the first message. One of several concurrent claims succeeds. */
export const claimChat = (
  ledger: LedgerStore,
  runs: RunStore,
  chat: ChatIdentity,
  newMessage: UserMessage | undefined,
  clock: Clock.Clock,
): Effect.Effect<ClaimedChat, LedgerError | ConfigurationError | ChatClaimRefusal> =>
  Effect.gen(function* () {
    const at = clock.currentTimeMillisUnsafe();
    const epoch =
      (yield* runs.claim(chat.runId, at)) ??
      (yield* beginChat(runs, chat, newMessage, clock.currentTimeMillisUnsafe()));
    return yield* Effect.onExit(readClaimedChat(ledger, runs, chat, epoch, newMessage), (exit) =>
      Exit.isSuccess(exit) ? Effect.void : releaseChat(runs, { runId: chat.runId, epoch }, undefined, at),
    );
  });

const readClaimedChat = (
  ledger: LedgerStore,
  runs: RunStore,
  { runId }: ChatIdentity,
  epoch: number,
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

const betweenMessagesReason = "The chat is between two messages.";

/** Releases the chat, so that any process may write the next answer. Ignored if the claim was lost. */
export const releaseChat = (
  runs: RunStore,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  reason: string | undefined,
  at: number,
): Effect.Effect<void> =>
  Effect.ignore(runs.end({ runId, epoch, status: "pending", reason: reason ?? betweenMessagesReason, at }));
