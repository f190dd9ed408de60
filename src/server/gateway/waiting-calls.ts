import { hashInput } from "../../base/json/hash-input.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import { type Principal, quotaOwnerOf } from "../../types/principal.ts";
import type { BackendCall } from "./gateway-backend.ts";
import { OwnerMap } from "./owner-map.ts";
import type { Peers } from "./peers/peers.ts";

type ClientCallRequest = Pick<BackendCall, "principal" | "tool" | "input">;

/**
 * Pending calls that clients know of. Outlives a replaced runtime, because the same request means the same
 * call.
 */
export interface WaitingCalls {
  readonly find: (request: ClientCallRequest) => MaybePromise<ApprovalRequest | undefined>;
  readonly set: (request: ClientCallRequest, approval: ApprovalRequest) => MaybePromise<void>;
  /**
   * The call now waits for another approval. Returns the original request, because the ledger masks it later.
   */
  readonly replace: (approvalId: string, to: ApprovalRequest) => MaybePromise<ApprovalRequest>;
  readonly delete: (approvalId: string) => MaybePromise<void>;
}

type MaybePromise<A> = A | Promise<A>;

export const sharedWaitingCalls = ({ waiting: store }: Pick<Peers, "waiting">): WaitingCalls => ({
  find: (request) => store.find(waitingCallKey(request)),
  set: (request, approval) => store.keep(waitingCallKey(request), approval),
  replace: store.move,
  delete: store.drop,
});

export const createWaitingCalls = (): WaitingCalls => {
  const byRequest = new OwnerMap<ApprovalRequest>();
  const entriesOf = (approvalId: string) => [...byRequest].filter(([, , { id }]) => id === approvalId);
  return {
    find: (request) =>
      byRequest.isEmpty ? undefined : byRequest.get(quotaOwnerOf(request.principal), waitingCallKey(request)),
    set: (request, approval) =>
      byRequest.set(quotaOwnerOf(request.principal), waitingCallKey(request), approval),
    replace: (approvalId, to) => {
      const entries = entriesOf(approvalId);
      const before = entries[0]?.[2];
      if (before !== undefined && approvalId === to.id) return before;
      for (const [owner, key] of entries) byRequest.set(owner, key, to);
      return to;
    },
    delete: (approvalId) => {
      for (const [owner, key] of entriesOf(approvalId)) byRequest.delete(owner, key);
    },
  };
};

/** Independent of the connection and of current rights. */
const waitingCallKey = ({ principal, tool, input }: ClientCallRequest): string =>
  JSON.stringify([callerChainOf(principal), tool, hashInput(parsedInput(input))]);

const callerChainOf = (principal: Principal | undefined): readonly unknown[] => {
  if (principal === undefined) return [];
  const { agent, session, user, tenant, within } = principal;
  return [[agent, session ?? null, user ?? null, tenant ?? null], ...callerChainOf(within)];
};

/** Formatting does not matter. */
const parsedInput = (input: unknown): unknown => {
  const reading = typeof input === "string" ? readJson(input) : undefined;
  return reading?.ok === true ? reading.value : input;
};
