import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { createConversationTaints } from "../../server/gateway/conversation-taints.ts";
import {
  openSharedClientState,
  type SharedClientState,
  type SharedClientStateResult,
} from "../../server/gateway/shared-client-state.ts";
import { recallWaitingCalls } from "../../server/gateway/waiting-calls.ts";

type GatewayClientState = Pick<SharedClientState, "conversationTaints" | "waitingCalls">;

export interface ClientState {
  /** The same for all runtimes that a reload opens. */
  readonly over: (haft: Haft) => Promise<GatewayClientState>;
  readonly shared: () => Promise<SharedClientStateResult>;
}

/** Over HTTP, gateways on one ledger share this state. Over stdio there is one client. */
export const createClientState = (isShared: boolean): ClientState => {
  let shared: Promise<SharedClientStateResult> | undefined;
  let own: Promise<GatewayClientState> | undefined;
  return {
    over: async (haft) => {
      shared ??= isShared ? openSharedClientState(haft) : Promise.resolve({});
      const { state } = await shared;
      if (state !== undefined) return state;
      own ??= openOwnState(haft);
      return await own;
    },
    shared: () => shared ?? Promise.resolve({}),
  };
};

const openOwnState = async (haft: Haft): Promise<GatewayClientState> => ({
  conversationTaints: createConversationTaints(Date.now),
  waitingCalls: await recallWaitingCalls(sharedRuntimes.get(haft)!.ledger),
});
