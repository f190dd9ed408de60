import { hashInput } from "../json/hash-input.ts";
import { readJson } from "../json/read-json.ts";
import type { ApprovalRequest } from "../words/approval.ts";
import type { Principal } from "../words/principal.ts";
import type { Peers } from "./peers/peers.ts";
import type { ServedCall } from "./served.ts";

/** So many questions a corridor keeps open in memory. */
const most = 10_000;

type ClientRequest = Pick<ServedCall, "principal" | "tool" | "input">;

/**
 * Calls that clients were told wait for a person. A client that asks for the same once more means the same call, also
 * after another runtime took over, so this outlives the runtime that asked.
 */
export interface WaitingCalls {
  readonly find: (request: ClientRequest) => Soon<ApprovalRequest | undefined>;
  readonly keep: (request: ClientRequest, approval: ApprovalRequest) => Soon<void>;
  /**
   * The call may wait for another approval than it did. Answers with the one that it waits for: as it was when it was
   * asked, for what the ledger says of it later is masked.
   */
  readonly move: (approvalId: string, to: ApprovalRequest) => Soon<ApprovalRequest>;
  readonly drop: (approvalId: string) => Soon<void>;
}

/** At once in one process; among several, once the others can know it too. */
type Soon<A> = A | Promise<A>;

/** The same among gateways over one ledger: whichever is asked again knows what the client was told. */
export const sharedWaitingCalls = ({ waiting }: Pick<Peers, "waiting">): WaitingCalls => ({
  find: (request) => waiting.find(keyOf(request)),
  keep: (request, approval) => waiting.keep(keyOf(request), approval),
  move: waiting.move,
  drop: waiting.drop,
});

export const waitingCalls = (): WaitingCalls => {
  const byRequest = new Map<string, ApprovalRequest>();
  const keysOf = (approvalId: string): readonly string[] =>
    [...byRequest].flatMap(([key, { id }]) => (id === approvalId ? [key] : []));
  return {
    find: (request) => (byRequest.size === 0 ? undefined : byRequest.get(keyOf(request))),
    keep: (request, approval) => {
      byRequest.set(keyOf(request), approval);
      if (byRequest.size > most) byRequest.delete(byRequest.keys().next().value as string);
    },
    move: (approvalId, to) => {
      const keys = keysOf(approvalId);
      const before = keys[0] === undefined ? undefined : byRequest.get(keys[0]);
      if (before !== undefined && approvalId === to.id) return before;
      for (const key of keys) byRequest.set(key, to);
      return to;
    },
    drop: (approvalId) => {
      for (const key of keysOf(approvalId)) byRequest.delete(key);
    },
  };
};

/**
 * Whatever connection it comes over, and whatever it may do by now: a client that lost a connection, or whose rights were
 * changed, is still the same caller.
 */
const keyOf = ({ principal, tool, input }: ClientRequest): string =>
  JSON.stringify([partiesOf(principal), tool, hashInput(meantBy(input))]);

/** The caller and those who lent it its right, as they are compared when somebody goes on with a call. */
const partiesOf = (principal: Principal | undefined): readonly unknown[] => {
  if (principal === undefined) return [];
  const { agent, session, user, tenant, within } = principal;
  return [[agent, session ?? null, user ?? null, tenant ?? null], ...partiesOf(within)];
};

/** A client that writes the same arguments with other spaces, or in another order, means the same. */
const meantBy = (input: unknown): unknown => {
  const reading = typeof input === "string" ? readJson(input) : undefined;
  return reading?.ok === true ? reading.value : input;
};
