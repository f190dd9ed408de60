import { hashInput } from "../../base/json/hash-input.ts";
import { readJson } from "../../base/json/read-json.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import { type Principal, quotaOwnerOf } from "../../types/principal.ts";
import type { BackendCall } from "./gateway-backend.ts";
import { OwnerMap } from "./owner-map.ts";
import type { Peers } from "./peers/peers.ts";

type ClientCallRequest = Pick<BackendCall, "principal" | "tool" | "input">;

/**
 * Calls that clients were told wait for a person. A client that asks for the same once more means the same call, also
 * after another runtime took over, so this outlives the runtime that asked.
 */
export interface WaitingCalls {
  readonly find: (request: ClientCallRequest) => MaybePromise<ApprovalRequest | undefined>;
  readonly keep: (request: ClientCallRequest, approval: ApprovalRequest) => MaybePromise<void>;
  /**
   * The call may wait for another approval than it did. Answers with the one that it waits for: as it was when it was
   * asked, for what the ledger says of it later is masked.
   */
  readonly move: (approvalId: string, to: ApprovalRequest) => MaybePromise<ApprovalRequest>;
  readonly drop: (approvalId: string) => MaybePromise<void>;
}

/** At once in one process; among several, once the others can know it too. */
type MaybePromise<A> = A | Promise<A>;

/** The same among gateways over one ledger: whichever is asked again knows what the client was told. */
export const sharedWaitingCalls = ({ waiting: store }: Pick<Peers, "waiting">): WaitingCalls => ({
  find: (request) => store.find(waitingCallKey(request)),
  keep: (request, approval) => store.keep(waitingCallKey(request), approval),
  move: store.move,
  drop: store.drop,
});

export const createWaitingCalls = (): WaitingCalls => {
  const byRequest = new OwnerMap<ApprovalRequest>();
  const entriesOf = (approvalId: string) => [...byRequest].filter(([, , { id }]) => id === approvalId);
  return {
    find: (request) =>
      byRequest.isEmpty ? undefined : byRequest.get(quotaOwnerOf(request.principal), waitingCallKey(request)),
    keep: (request, approval) =>
      byRequest.set(quotaOwnerOf(request.principal), waitingCallKey(request), approval),
    move: (approvalId, to) => {
      const entries = entriesOf(approvalId);
      const before = entries[0]?.[2];
      if (before !== undefined && approvalId === to.id) return before;
      for (const [owner, key] of entries) byRequest.set(owner, key, to);
      return to;
    },
    drop: (approvalId) => {
      for (const [owner, key] of entriesOf(approvalId)) byRequest.delete(owner, key);
    },
  };
};

/**
 * Whatever connection it comes over, and whatever it may do by now: a client that lost a connection, or whose rights were
 * changed, is still the same caller.
 */
const waitingCallKey = ({ principal, tool, input }: ClientCallRequest): string =>
  JSON.stringify([callerChainOf(principal), tool, hashInput(parsedInput(input))]);

/** The caller and those who lent it its right, as they are compared when somebody goes on with a call. */
const callerChainOf = (principal: Principal | undefined): readonly unknown[] => {
  if (principal === undefined) return [];
  const { agent, session, user, tenant, within } = principal;
  return [[agent, session ?? null, user ?? null, tenant ?? null], ...callerChainOf(within)];
};

/** A client that writes the same arguments with other spaces, or in another order, means the same. */
const parsedInput = (input: unknown): unknown => {
  const reading = typeof input === "string" ? readJson(input) : undefined;
  return reading?.ok === true ? reading.value : input;
};
