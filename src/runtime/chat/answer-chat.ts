import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { AgentsService } from "../../agent/agents.ts";
import type { RunOptions } from "../../agent/run-options.ts";
import { type LeaseEnd, type RunLease, withRunLease } from "../../pipeline/run-lease.ts";
import type { Agent, AgentEvent, AgentResponse } from "../../types/agent.ts";
import { Approver, type ApproverService } from "../../types/approval.ts";
import type { AnyToolError, LedgerError } from "../../types/errors.ts";
import type { Message, UserMessage } from "../../types/message.ts";
import type { RunStore } from "../../types/run-store.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import {
  type ChatClaimRefusal,
  type ChatIdentity,
  type ClaimedChat,
  claimChat,
  readClaimedChat,
} from "./claim-chat.ts";

/** Run options for every answer of a chat. */
export type ChatRunOptions = Omit<
  RunOptions,
  "context" | "replies" | "resume" | "signal" | "parent" | "taints"
>;

export interface ChatAnswerRequest {
  readonly agent: Agent;
  readonly chat: ChatIdentity;
  readonly says: UserMessage | undefined;
  readonly settlesOnly?: boolean;
  readonly run: ChatRunOptions;
  readonly signal: AbortSignal;
  readonly tell: (event: AgentEvent) => void;
  readonly onKept: (messages: readonly Message[]) => Effect.Effect<void, LedgerError>;
  /** Partial text of a stopped answer; it is kept, because the user has read it. */
  readonly brokenOff: () => string;
}

export const answerChat = (
  { ledger }: SharedRuntime,
  runs: RunStore,
  agents: AgentsService,
  request: ChatAnswerRequest,
): Effect.Effect<AgentResponse, AnyToolError | LedgerError | ChatClaimRefusal> =>
  Effect.gen(function* () {
    const { chat, says, onKept } = request;
    const { runId } = chat;
    const clock = yield* Clock.Clock;
    const claim = claimChat(runs, chat, says, clock);
    return yield* withRunLease(runs, { runId, claim, endOf: endOfAnswer }, (lease) =>
      Effect.gen(function* () {
        const claimed = yield* readClaimedChat(ledger, runs, lease, says);
        if (claimed.says === undefined) yield* onKept(claimed.record.messages);
        const response = yield* runChatTurn(agents, request, claimed, lease);
        yield* recordPartialReply(runs, request, lease, response, clock);
        return response;
      }),
    );
  });

const runChatTurn = (
  agents: AgentsService,
  { agent, chat, settlesOnly, run, signal, tell, onKept }: ChatAnswerRequest,
  claimed: ClaimedChat,
  lease: RunLease,
): Effect.Effect<AgentResponse, AnyToolError> => {
  const turn = { claimed, lease, says: claimed.says, settlesOnly, onStored: onKept };
  const running = agents.run(agent, undefined, {
    ...run,
    principal: chat.principal,
    signal,
    tell,
    chat: turn,
  });
  return withDeferredApprovals(running);
};

/** Approvals are answered in the page, so calls become pending even without a durable ledger. */
const withDeferredApprovals = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(Approver) === undefined ? Effect.provideService(work, Approver, deferringApprover) : work,
  );

const deferringApprover: ApproverService = { ask: () => Effect.succeed(undefined) };

const recordPartialReply = (
  runs: RunStore,
  { brokenOff, onKept }: ChatAnswerRequest,
  { epoch }: RunLease,
  { status, context, agent, runId, turns, usage }: AgentResponse,
  clock: Clock.Clock,
): Effect.Effect<void, LedgerError> => {
  const text = status === "cancelled" ? brokenOff() : "";
  if (!/\S/.test(text)) return Effect.void;
  const message: Message = { role: "assistant", content: text, agent };
  const at = clock.currentTimeMillisUnsafe();
  return Effect.andThen(
    runs.add({ runId, epoch, messages: [message], turns, usage, agent, at }),
    onKept([...context, message]),
  );
};

/** Between two messages any process may claim the chat. */
const endOfAnswer = (exit: Exit.Exit<AgentResponse, unknown>): LeaseEnd => ({
  status: "pending",
  reason: endReasonOf(exit) ?? "The chat is between two messages.",
});

const endReasonOf = (exit: Exit.Exit<AgentResponse, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return exit.value.status === "done" ? undefined : exit.value.reason;
  const reason = Cause.squash(exit.cause);
  return reason instanceof Error ? reason.message : undefined;
};
