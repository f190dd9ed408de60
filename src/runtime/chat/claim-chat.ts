import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ClaimedRun } from "../../agent/claim-run.ts";
import { hashText } from "../../base/json/canonical-json.ts";
import { isResumable } from "../../ledger/held-run-leases.ts";
import { loadRunCounters } from "../../pipeline/run-counters.ts";
import type { RunLease } from "../../pipeline/run-lease.ts";
import { ConfigurationError, type LedgerError } from "../../types/errors.ts";
import type { LedgerStore } from "../../types/ledger.ts";
import type { UserMessage } from "../../types/message.ts";
import type { Principal } from "../../types/principal.ts";
import { type RunRecord, type RunStore, toRunId } from "../../types/run-store.ts";
import { readPrincipal } from "../read-principal.ts";
import { delegationChainKey } from "../session/session-options.ts";

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

export interface ChatIdentity {
  readonly chatId: string;
  readonly runId: string;
  readonly agent: string;
  readonly principal: Principal;
}

/**
 * Derives the run id from the agent, the chat id and the caller, so that another caller's chat with the same
 * id is a different run.
 */
export const chatIdentity = (agent: string, person: Principal, chatId: string): ChatIdentity => {
  const principal = Object.freeze({ ...person, session: chatId });
  const runId = toRunId(
    "chat",
    hashText(JSON.stringify([agent, delegationChainKey(principal)])).slice(0, 32),
  );
  return { chatId, runId, agent, principal };
};

/** Rejects a principal with a session, because the chat is the session. */
export const readChatPrincipal = (given: Principal): Principal => {
  const person = readPrincipal(given)!;
  if (person.session === undefined) return person;
  throw new ConfigurationError(
    "invalid_config",
    "The principal of a chat must not have a `session`: the chat is its session. Set the `user` who owns the chats.",
  );
};

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
