import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import {
  type ConversationTaints,
  createConversationTaints,
  sharedConversationTaints,
} from "../../server/gateway/conversation-taints.ts";
import { findPeers, type PeersResult } from "../../server/gateway/peers/find-peers.ts";
import type { Peers } from "../../server/gateway/peers/peers.ts";
import {
  recallWaitingCalls,
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
  let known: ReturnType<ClientState["over"]> | undefined;
  return {
    over: async (haft) => {
      found ??= isShared ? findPeers(haft) : Promise.resolve({});
      const { peers } = await found;
      known ??= peers === undefined ? openOwnState(haft) : openSharedState(peers);
      return await known;
    },
    found: () => found ?? Promise.resolve({}),
  };
};

const openOwnState: ClientState["over"] = async (haft) => ({
  conversationTaints: createConversationTaints(Date.now),
  waitingCalls: await recallWaitingCalls(sharedRuntimes.get(haft)!.ledger),
});

const openSharedState = async (peers: Peers): ReturnType<ClientState["over"]> => ({
  conversationTaints: sharedConversationTaints(peers, Date.now),
  waitingCalls: sharedWaitingCalls(peers),
});
