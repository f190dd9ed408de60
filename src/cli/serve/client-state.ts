import type { Haft } from "../../runtime/haft.ts";
import {
  type ConversationTaints,
  createConversationTaints,
  sharedConversationTaints,
} from "../../server/gateway/conversation-taints.ts";
import { findPeers, type PeersResult } from "../../server/gateway/peers/find-peers.ts";
import {
  createWaitingCalls,
  sharedWaitingCalls,
  type WaitingCalls,
} from "../../server/gateway/waiting-calls.ts";

/** What is known of clients, whichever runtime serves them: what they heard, and what they were told waits. */
export interface ClientState {
  readonly over: (haft: Haft) => Promise<{
    readonly conversationTaints: ConversationTaints;
    readonly waitingCalls: WaitingCalls;
  }>;
  /** The gateways beside this one, as the first runtime found them. */
  readonly found: () => Promise<PeersResult>;
}

/** Over HTTP, gateways over one ledger know the same. A pipe has one client, who is known here alone. */
export const createClientState = (isShared: boolean): ClientState => {
  let found: Promise<PeersResult> | undefined;
  let known: Awaited<ReturnType<ClientState["over"]>> | undefined;
  return {
    over: async (haft) => {
      found ??= isShared ? findPeers(haft) : Promise.resolve({});
      const { peers } = await found;
      known ??=
        peers === undefined
          ? { conversationTaints: createConversationTaints(Date.now), waitingCalls: createWaitingCalls() }
          : {
              conversationTaints: sharedConversationTaints(peers, Date.now),
              waitingCalls: sharedWaitingCalls(peers),
            };
      return known;
    },
    found: () => found ?? Promise.resolve({}),
  };
};
