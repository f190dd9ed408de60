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

export interface ClientState {
  readonly over: (haft: Haft) => Promise<{
    readonly conversationTaints: ConversationTaints;
    readonly waitingCalls: WaitingCalls;
  }>;
  readonly found: () => Promise<PeersResult>;
}

/** Over HTTP, gateways on one ledger share this state. Over stdio there is one client. */
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
