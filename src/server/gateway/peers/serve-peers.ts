import { isSameCaller } from "../../../types/principal.ts";
import { toProtocolError } from "../call/call-result.ts";
import { nextResponse } from "../call/handle-request.ts";
import { cancelTaskCall, taskOf, taskResult } from "../call/task-methods.ts";
import { invalidParamsError } from "../client-connection.ts";
import type { GatewayState } from "../gateway-state.ts";
import type { PeerBroadcast, PeerRequest } from "./peers.ts";
import type { PeerOutcome } from "./resume-on-peer.ts";

/** What only the sessions of this process can do. */
export interface PeerSessionHandler {
  /** Hands a message of its client to a session that is open here. */
  readonly deliver: (question: Extract<PeerRequest, { kind: "deliver" }>) => Promise<boolean>;
  readonly onPeerMessage: (news: PeerBroadcast) => void;
}

/** Answers other gateways about the calls, tasks and sessions that are here. */
export const servePeers = (gateway: GatewayState, sessions: PeerSessionHandler): void => {
  const answer = async (request: PeerRequest): Promise<PeerOutcome> => {
    switch (request.kind) {
      case "go-on":
        return { kind: "result", result: await resumeHeldCall(gateway, request) };
      case "stop": {
        const live = gateway.relayed.get(request.handle);
        if (live !== undefined && isSameCaller(live.principal, request.principal)) {
          live.cancel(new Error("The client hung up."));
        }
        return { kind: "result", result: {} };
      }
      case "task":
        return { kind: "result", result: handleTaskRequest(gateway, request) };
      case "deliver":
        return { kind: "result", result: { delivered: await sessions.deliver(request) } };
    }
  };
  gateway.peers?.serve({
    answer: async (request) => {
      try {
        return await answer(request);
      } catch (error) {
        const { code, message, data } = toProtocolError(error, gateway.backend.redact);
        return { kind: "error", code, message, ...(data === undefined ? {} : { data }) };
      }
    },
    told: (news) => sessions.onPeerMessage(news),
  });
};

const resumeHeldCall = async (
  gateway: GatewayState,
  { handle, principal, subject, answers }: Extract<PeerRequest, { kind: "go-on" }>,
) => {
  const live = gateway.heldCalls.take(handle, principal, subject);
  if (live === undefined)
    throw invalidParamsError("Unknown requestState: it was used, it expired, or it never was.");
  live.principal = principal;
  gateway.relayed.set(handle, live);
  try {
    live.inputRequests.answer(answers);
    return await nextResponse(gateway, live);
  } finally {
    gateway.relayed.delete(handle);
  }
};

const handleTaskRequest = (
  gateway: GatewayState,
  { method, taskId, principal, answers }: Extract<PeerRequest, { kind: "task" }>,
) => {
  if (method === "tasks/get") return taskResult(gateway, taskId, principal);
  const call = taskOf(gateway, taskId, principal);
  if (method === "tasks/cancel") return cancelTaskCall(call);
  call.principal = principal;
  call.inputRequests.answer(answers);
  return {};
};
