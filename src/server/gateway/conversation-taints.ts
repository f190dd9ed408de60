import { callerIdentityOf, type Principal, quotaOwnerOf } from "../../types/principal.ts";
import { OwnerMap } from "./owner-map.ts";
import type { Peers } from "./peers/peers.ts";

/** In milliseconds after a conversation's last call. */
const taintRetentionMs = 3_600_000;

export const forgottenConversationSource = "a conversation that is no longer remembered";

export interface ClientConversation {
  readonly principal: Principal;
  readonly conversation?: string | undefined;
}

/** Content that a client has read may cause its next calls. */
export interface ConversationTaints {
  readonly taintsOf: (conversation: ClientConversation) => readonly string[] | Promise<readonly string[]>;
  /** The reply waits for this. */
  readonly addTaints: (conversation: ClientConversation, taints: readonly string[]) => void | Promise<void>;
}

export const sharedConversationTaints = (
  { heardIn: taintsOf, hear: addTaints }: Pick<Peers, "heardIn" | "hear">,
  now: () => number,
): ConversationTaints => {
  const localTaints = createConversationTaints(now);
  return {
    taintsOf: async (id) => [
      ...new Set([...(await taintsOf(conversationKey(id))), ...(await localTaints.taintsOf(id))]),
    ],
    addTaints: (id, taints) => {
      // Content may reach the client before the call ends.
      void localTaints.addTaints(id, taints);
      return taints.length === 0 ? undefined : addTaints(conversationKey(id), taints);
    },
  };
};

export const createConversationTaints = (now: () => number): ConversationTaints => {
  /** Owners with evicted conversations. Until then, unknown conversations count as tainted. */
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
    taintsOf: (id) => {
      const owner = quotaOwnerOf(id.principal);
      const known = find(owner, conversationKey(id));
      if (known !== undefined) return [...known.taints];
      return hasForgotten(owner) ? [forgottenConversationSource] : [];
    },
    addTaints: (id, taints) => {
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

/** Independent of the caller's rights. */
const conversationKey = ({ conversation, principal }: ClientConversation): string => {
  const { agent, session, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent, session, conversation ?? ""]);
};
