import { type Conversations, conversations, sharedConversations } from "../../gateway/conversations.ts";
import { type FoundPeers, peersOf } from "../../gateway/peers/peers-of.ts";
import { sharedWaitingCalls, type WaitingCalls, waitingCalls } from "../../gateway/waiting-calls.ts";
import type { Haft } from "../../runtime/haft.ts";

/** What is known of clients, whichever runtime serves them: what they heard, and what they were told waits. */
export interface KnownClients {
  readonly over: (haft: Haft) => Promise<{
    readonly conversationTaints: Conversations;
    readonly waitingCalls: WaitingCalls;
  }>;
  /** The gateways beside this one, as the first runtime found them. */
  readonly found: () => Promise<FoundPeers>;
}

/** Over HTTP, gateways over one ledger know the same. A pipe has one client, who is known here alone. */
export const knownClients = (isShared: boolean): KnownClients => {
  let found: Promise<FoundPeers> | undefined;
  let known: Awaited<ReturnType<KnownClients["over"]>> | undefined;
  return {
    over: async (haft) => {
      found ??= isShared ? peersOf(haft) : Promise.resolve({});
      const { peers } = await found;
      known ??=
        peers === undefined
          ? { conversationTaints: conversations(Date.now), waitingCalls: waitingCalls() }
          : {
              conversationTaints: sharedConversations(peers, Date.now),
              waitingCalls: sharedWaitingCalls(peers),
            };
      return known;
    },
    found: () => found ?? Promise.resolve({}),
  };
};
