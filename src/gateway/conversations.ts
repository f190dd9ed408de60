import type { Peers } from "./peers/peers.ts";

/** How long what was heard in a conversation counts after its last call, in milliseconds. */
const memory = 3_600_000;
const most = 10_000;

/** Which untrusted words a client has heard: what it asks for next may be their doing. */
export interface Conversations {
  readonly heardIn: (id: string) => readonly string[] | Promise<readonly string[]>;
  /** A reply is given once this is done. */
  readonly hear: (id: string, taints: readonly string[]) => void | Promise<void>;
}

/** What a client heard at one gateway counts at every other over the same ledger. */
export const sharedConversations = (
  { heardIn, hear }: Pick<Peers, "heardIn" | "hear">,
  now: () => number,
): Conversations => {
  const own = conversations(now);
  return {
    heardIn: async (id) => [...new Set([...(await heardIn(id)), ...(await own.heardIn(id))])],
    hear: (id, taints) => {
      // Here it counts at once, also where words reach the client before the call is over.
      void own.hear(id, taints);
      return taints.length === 0 ? undefined : hear(id, taints);
    },
  };
};

export const conversations = (now: () => number): Conversations => {
  const byId = new Map<string, { readonly taints: Set<string>; until: number }>();
  const of = (id: string) => {
    const one = byId.get(id);
    return one === undefined || one.until < now() ? undefined : one;
  };
  return {
    heardIn: (id) => [...(of(id)?.taints ?? [])],
    hear: (id, taints) => {
      const before = of(id);
      if (before === undefined && taints.length === 0) return;
      const one = before ?? { taints: new Set(), until: 0 };
      one.until = now() + memory;
      for (const taint of taints) one.taints.add(taint);
      byId.delete(id);
      byId.set(id, one);
      if (byId.size > most) byId.delete(byId.keys().next().value as string);
    },
  };
};
