import { isSameParty } from "../../words/principal.ts";
import { toProtocolError } from "../call/call-result.ts";
import { untilAnswered } from "../call/converse.ts";
import { cancelledTask, taskOf, toldTask } from "../call/task-methods.ts";
import { invalid } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import type { PeerOutcome } from "./go-on-elsewhere.ts";
import type { PeerNews, PeerQuestion } from "./peers.ts";

/** What only the sessions of this process can do. */
export interface SessionDesk {
  /** Hands a message of its client to a session that is open here. */
  readonly deliver: (question: Extract<PeerQuestion, { kind: "deliver" }>) => Promise<boolean>;
  readonly told: (news: PeerNews) => void;
}

/** Answers other gateways about the calls, tasks and sessions that are here. */
export const answerPeers = (gateway: GatewayState, sessions: SessionDesk): void => {
  const answer = async (question: PeerQuestion): Promise<PeerOutcome> => {
    switch (question.kind) {
      case "go-on":
        return { kind: "result", result: await goOn(gateway, question) };
      case "stop": {
        const live = gateway.relayed.get(question.handle);
        if (live !== undefined && isSameParty(live.principal, question.principal)) {
          live.cancel(new Error("The client hung up."));
        }
        return { kind: "result", result: {} };
      }
      case "task":
        return { kind: "result", result: askTask(gateway, question) };
      case "deliver":
        return { kind: "result", result: { delivered: await sessions.deliver(question) } };
    }
  };
  gateway.peers?.serve({
    answer: async (question) => {
      try {
        return await answer(question);
      } catch (error) {
        const { code, message, data } = toProtocolError(error, gateway.served.redact);
        return { kind: "error", code, message, ...(data === undefined ? {} : { data }) };
      }
    },
    told: (news) => sessions.told(news),
  });
};

const goOn = async (
  gateway: GatewayState,
  { handle, principal, subject, answers }: Extract<PeerQuestion, { kind: "go-on" }>,
) => {
  const live = gateway.held.take(handle, principal, subject);
  if (live === undefined) throw invalid("Unknown requestState: it was used, it expired, or it never was.");
  live.principal = principal;
  gateway.relayed.set(handle, live);
  try {
    live.questions.answer(answers);
    return await untilAnswered(gateway, live);
  } finally {
    gateway.relayed.delete(handle);
  }
};

const askTask = (
  gateway: GatewayState,
  { method, taskId, principal, answers }: Extract<PeerQuestion, { kind: "task" }>,
) => {
  if (method === "tasks/get") return toldTask(gateway, taskId, principal);
  const call = taskOf(gateway, taskId, principal);
  if (method === "tasks/cancel") return cancelledTask(call);
  call.principal = principal;
  call.questions.answer(answers);
  return {};
};
