import { callerIdentityOf, type Principal, quotaOwnerOf } from "../../types/principal.ts";
import { OwnerMap } from "./owner-map.ts";
import type { Peers } from "./peers/peers.ts";

/** How long untrusted content counts after the last call of a conversation, in milliseconds. */
const taintRetentionMs = 3_600_000;

/** The source of a conversation that is no longer remembered. */
export const forgottenConversationSource = "a conversation that is no longer remembered";

/** One conversation of a client with the gateway. */
export interface ClientConversation {
  readonly principal: Principal;
  /** The client's session; a client without one has a single conversation. */
  readonly conversation?: string | undefined;
}

/** Which untrusted content a client has read: its next calls may be the work of that content. */
export interface ConversationTaints {
  readonly heardIn: (conversation: ClientConversation) => readonly string[] | Promise<readonly string[]>;
  /** A reply is given once this is done. */
  readonly hear: (conversation: ClientConversation, taints: readonly string[]) => void | Promise<void>;
}

/** What a client read through one gateway counts at every other over the same ledger. */
export const sharedConversationTaints = (
  { heardIn, hear }: Pick<Peers, "heardIn" | "hear">,
  now: () => number,
): ConversationTaints => {
  const localTaints = createConversationTaints(now);
  return {
    heardIn: async (id) => [
      ...new Set([...(await heardIn(conversationKey(id))), ...(await localTaints.heardIn(id))]),
    ],
    hear: (id, taints) => {
      // Here it counts at once, also where content reaches the client before the call is over.
      void localTaints.hear(id, taints);
      return taints.length === 0 ? undefined : hear(conversationKey(id), taints);
    },
  };
};

export const createConversationTaints = (now: () => number): ConversationTaints => {
  /** Until when an owner has conversations that were forgotten before their time. Any unknown one may be one of them. */
  const forgottenUntil = new Map<string, number>();
  const byId = new OwnerMap<{ readonly taints: Set<string>; until: number }>((owner) =>
    forgottenUntil.set(owner, now() + taintRetentionMs),
  );
  const find = (owner: string, key: string) => {
    const entry = byId.get(owner, key);
    return entry === undefined || entry.until < now() ? undefined : entry;
  };
  const hasForgotten = (owner: string): boolean =>
    (forgottenUntil.get(owner) ?? Number.NEGATIVE_INFINITY) >= now();
  const dropExpired = (owner: string): void => {
    for (
      let last = byId.oldest(owner);
      last !== undefined && last[1].until < now();
      last = byId.oldest(owner)
    ) {
      byId.delete(owner, last[0]);
    }
    if (!hasForgotten(owner)) forgottenUntil.delete(owner);
  };
  return {
    heardIn: (id) => {
      const owner = quotaOwnerOf(id.principal);
      const known = find(owner, conversationKey(id));
      if (known !== undefined) return [...known.taints];
      return hasForgotten(owner) ? [forgottenConversationSource] : [];
    },
    hear: (id, taints) => {
      const [owner, key] = [quotaOwnerOf(id.principal), conversationKey(id)];
      const before = find(owner, key);
      if (before === undefined && taints.length === 0) return;
      const entry = before ?? { taints: new Set(), until: 0 };
      entry.until = now() + taintRetentionMs;
      for (const taint of taints) entry.taints.add(taint);
      dropExpired(owner);
      byId.set(owner, key, entry);
    },
  };
};

/** What a session read stays with it; without one, with its caller, whatever rights it comes back with. */
const conversationKey = ({ conversation, principal }: ClientConversation): string => {
  const { agent, session, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent, session, conversation ?? ""]);
};
