import { toPrincipalKey } from "../catalog/offer/principal-key.ts";
import { hashInput } from "../json/hash-input.ts";
import { readJson } from "../json/read-json.ts";
import type { ApprovalRequest } from "../words/approval.ts";
import type { ServedCall } from "./served.ts";

const most = 1_000;

/** Calls that wait for a person elsewhere. A client that asks for the same once more means the same call. */
export interface WaitingCalls {
  readonly find: (call: ServedCall) => ApprovalRequest | undefined;
  readonly keep: (call: ServedCall, approval: ApprovalRequest) => void;
  readonly drop: (approvalId: string) => void;
}

export const waitingCalls = (): WaitingCalls => {
  const waiting = new Map<string, ApprovalRequest>();
  return {
    find: (call) => (waiting.size === 0 ? undefined : waiting.get(keyOf(call))),
    keep: (call, approval) => {
      waiting.set(keyOf(call), approval);
      if (waiting.size > most) waiting.delete(waiting.keys().next().value as string);
    },
    drop: (approvalId) => {
      for (const [key, { id }] of waiting) if (id === approvalId) waiting.delete(key);
    },
  };
};

/** Whatever connection it comes over: a client that lost one is still the same caller. */
const keyOf = ({ principal, tool, input }: ServedCall): string =>
  JSON.stringify([toPrincipalKey(principal) ?? principal, tool, hashInput(meantBy(input))]);

/** A client that writes the same arguments with other spaces, or in another order, means the same. */
const meantBy = (input: unknown): unknown => {
  const reading = typeof input === "string" ? readJson(input) : undefined;
  return reading?.ok === true ? reading.value : input;
};
