import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { ClaimedRun } from "../../agent/claim-run.ts";
import { loadRunTally } from "../../call/run-tally.ts";
import { mayGoOn } from "../../ledger/may-go-on.ts";
import { ConfigurationError, type LedgerError } from "../../words/errors.ts";
import type { LedgerStore } from "../../words/ledger.ts";
import type { UserMessage } from "../../words/message.ts";
import type { RunBook, RunRecord } from "../../words/run-book.ts";
import type { ChatIdentity } from "./chat-identity.ts";

/** Why a chat is not to be had: another answer is being written, it was deleted, or there is none. */
export class Unclaimable {
  readonly why: "busy" | "deleted" | "none";

  constructor(why: Unclaimable["why"]) {
    this.why = why;
  }
}

/** A chat that is this process's until it lets go of it. */
export interface ClaimedChat extends ClaimedRun {
  /** What is still to be put behind the conversation: nothing where the ledger has it already. */
  readonly says: UserMessage | undefined;
}

/** Exactly one of several takes the chat. The first message begins it. */
export const claimChat = (
  ledger: LedgerStore,
  runs: RunBook,
  chat: ChatIdentity,
  says: UserMessage | undefined,
  clock: Clock.Clock,
): Effect.Effect<ClaimedChat, LedgerError | ConfigurationError | Unclaimable> =>
  Effect.gen(function* () {
    const at = clock.currentTimeMillisUnsafe();
    const epoch =
      (yield* runs.claim(chat.runId, at)) ??
      (yield* beginChat(runs, chat, says, clock.currentTimeMillisUnsafe()));
    return yield* Effect.onExit(readClaimed(ledger, runs, chat, epoch, says), (exit) =>
      Exit.isSuccess(exit) ? Effect.void : releaseChat(runs, { runId: chat.runId, epoch }, undefined, at),
    );
  });

const readClaimed = (
  ledger: LedgerStore,
  runs: RunBook,
  { runId }: ChatIdentity,
  epoch: number,
  says: UserMessage | undefined,
): Effect.Effect<ClaimedChat, LedgerError | ConfigurationError | Unclaimable> =>
  Effect.gen(function* () {
    const record = yield* runs.find(runId);
    if (record === undefined) return yield* Effect.fail(new Unclaimable("none"));
    if (record.messages.length === 0) return yield* Effect.fail(keepsNoTexts());
    const tally = yield* loadRunTally(ledger, runId);
    const isKnown = record.messages.some(
      (message) => message.role === "user" && message.id !== undefined && message.id === says?.id,
    );
    return { record: fromLastMessage(record), epoch, tally, says: isKnown ? undefined : says };
  });

/** Of several who begin it at once, one does. */
const beginChat = (
  runs: RunBook,
  { runId, agent, principal }: ChatIdentity,
  says: UserMessage | undefined,
  at: number,
): Effect.Effect<number, LedgerError | Unclaimable> =>
  Effect.gen(function* () {
    const found = yield* runs.find(runId);
    if (found !== undefined) {
      return yield* Effect.fail(new Unclaimable(mayGoOn(found.status) ? "busy" : "deleted"));
    }
    if (says === undefined) return yield* Effect.fail(new Unclaimable("none"));
    const begun = runs.begin({ runId, agent, principal, messages: [says], at });
    return yield* Effect.catch(begun, (error) =>
      Effect.flatMap(runs.find(runId), (now) =>
        Effect.fail(now === undefined ? error : new Unclaimable("busy")),
      ),
    );
  });

/** An answer counts its calls from the message that it answers, which a page named. */
const fromLastMessage = (record: RunRecord): RunRecord => ({
  ...record,
  given: record.messages.findLastIndex((message) => message.role === "user" && message.id !== undefined) + 1,
});

const keepsNoTexts = (): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    "This ledger keeps no exact texts, so a chat has no memory. Set HAFT_LEDGER_KEY: they are sealed with it.",
  );

/** Why a chat's run is `pending`: to the ledger it waits, whoever is to speak next. */
const betweenMessages = "It is a chat between two messages.";

/** Lets go of a chat, so that any process may write the next answer. A claim that was lost meanwhile is nobody's to let go of. */
export const releaseChat = (
  runs: RunBook,
  { runId, epoch }: { readonly runId: string; readonly epoch: number },
  reason: string | undefined,
  at: number,
): Effect.Effect<void> =>
  Effect.ignore(runs.end({ runId, epoch, status: "pending", reason: reason ?? betweenMessages, at }));
