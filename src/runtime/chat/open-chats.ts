import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { isResumable } from "../../ledger/held-run-leases.ts";
import type { Agent, AgentResponse } from "../../types/agent.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../types/approval.ts";
import { ConfigurationError, type LedgerError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import { type RunRecord, type RunSummary, runKindOf } from "../../types/run-store.ts";
import { approvalsOfCaller } from "../caller-records.ts";
import { runInRuntime, runtimeClosedError, valueOrThrow } from "../run-in-runtime.ts";
import { type SharedRuntime, sharedRuntimes } from "../shared-runtime.ts";
import { answerChat, type ChatAnswerRequest, type ChatRunOptions } from "./answer-chat.ts";
import { type ChatIdentity, chatIdentity } from "./claim-chat.ts";

export interface ChatRecord {
  readonly run: RunRecord;
  readonly questions: readonly ChatApproval[];
}

export interface ChatApproval extends ApprovalRecord {
  readonly isOpen: boolean;
}

export interface Chats {
  readonly shared: SharedRuntime;
  readonly identity: (person: Principal, chatId: string) => ChatIdentity;
  /** Undefined for a chat that was deleted, never existed, or belongs to another user. */
  readonly find: (chat: ChatIdentity) => Promise<ChatRecord | undefined>;
  readonly questions: (chat: ChatIdentity) => Effect.Effect<readonly ChatApproval[], LedgerError>;
  readonly list: (person: Principal) => Promise<readonly RunSummary[]>;
  readonly answer: (answering: Omit<ChatAnswerRequest, "agent" | "run">) => Promise<AgentResponse>;
  readonly decide: (id: string, decision: ApprovalDecision, by: string) => Promise<boolean>;
  readonly remove: (chat: ChatIdentity) => Promise<boolean>;
}

export const openChats = (haft: object, agent: Agent, run: ChatRunOptions): Chats => {
  const shared = sharedRuntimes.get(haft);
  if (shared === undefined) {
    throw new ConfigurationError("invalid_config", "A chat needs a runtime from Haft.open.");
  }
  const { ledger } = shared;
  const { runs, approvals } = ledger;
  if (runs === undefined || approvals === undefined) {
    throw new ConfigurationError(
      "invalid_config",
      'A chat needs a ledger that stores runs and approvals, such as ledger: "sqlite:./haft.db".',
    );
  }
  const perform = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
    shared.closed ? Promise.reject(runtimeClosedError("chat")) : runInRuntime(shared, effect, valueOrThrow);
  const questions = (chat: ChatIdentity) =>
    Effect.flatMap(Clock.Clock, (clock) =>
      Effect.map(approvalsOfCaller(ledger, chat.principal, { runId: chat.runId }), (all) =>
        all.map((each) => toChatApproval(each, clock.currentTimeMillisUnsafe())),
      ),
    );
  return {
    shared,
    identity: (person, chatId) => chatIdentity(agent.name, person, chatId),
    questions,
    find: (chat) =>
      perform(
        Effect.gen(function* () {
          const found = yield* runs.find(chat.runId);
          if (found === undefined || !isResumable(found.status)) return undefined;
          return { run: found, questions: yield* questions(chat) };
        }),
      ),
    list: (person) =>
      perform(Effect.map(runs.list(), (all) => all.filter((each) => isOwnChat(agent.name, person, each)))),
    answer: async (answering) => {
      const agents = await shared.agents();
      return perform(answerChat(shared, runs, agents, { ...answering, agent, run }));
    },
    decide: (id, decision, by) =>
      perform(
        Effect.flatMap(Clock.Clock, (clock) =>
          Effect.map(
            approvals.answer(id, { decision, by, at: clock.currentTimeMillisUnsafe() }),
            (answered) => answered === "answered" || answered === "already",
          ),
        ),
      ),
    remove: ({ runId, principal }) =>
      perform(
        Effect.flatMap(Clock.Clock, (clock) =>
          Effect.map(
            runs.cancel(runId, principal.user ?? principal.agent, clock.currentTimeMillisUnsafe()),
            (given) => given === "given-up",
          ),
        ),
      ),
  };
};

/** The run id proves ownership, because it is derived from the caller. */
const isOwnChat = (agent: string, person: Principal, { runId, status, principal }: RunSummary): boolean =>
  runKindOf(runId) === "chat" &&
  isResumable(status) &&
  principal?.session !== undefined &&
  chatIdentity(agent, person, principal.session).runId === runId;

const toChatApproval = (record: ApprovalRecord, now: number): ChatApproval => ({
  ...record,
  isOpen: record.status === "waiting" && (record.expiresAt === undefined || record.expiresAt > now),
});
