import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import {
  type ConversationCounters,
  createConversationCounters,
  createConversationTaints,
} from "../../server/gateway/conversation-taints.ts";
import {
  openSharedClientState,
  type SharedClientState,
  type SharedClientStateResult,
} from "../../server/gateway/shared-client-state.ts";
import { recallWaitingCalls } from "../../server/gateway/waiting-calls.ts";

type OwnClientState = Pick<SharedClientState, "conversationTaints" | "waitingCalls">;

interface GatewayClientState extends OwnClientState {
  readonly conversationCounters: ConversationCounters;
}

export interface ClientState {
  /** The same for all runtimes that a reload opens. */
  readonly over: (haft: Haft) => Promise<GatewayClientState>;
  readonly shared: () => Promise<SharedClientStateResult>;
}

/** Over HTTP, gateways on one ledger share this state. Over stdio there is one client. */
export const createClientState = (isShared: boolean): ClientState => {
  let shared: Promise<SharedClientStateResult> | undefined;
  let own: Promise<OwnClientState> | undefined;
  const conversationCounters = createConversationCounters(Date.now);
  return {
    over: async (haft) => {
      shared ??= isShared ? openSharedClientState(haft) : Promise.resolve({});
      const { state } = await shared;
      own ??= state === undefined ? openOwnState(haft) : Promise.resolve(state);
      return { ...(await own), conversationCounters };
    },
    shared: () => shared ?? Promise.resolve({}),
  };
};

const openOwnState = async (haft: Haft): Promise<OwnClientState> => ({
  conversationTaints: createConversationTaints(Date.now),
  waitingCalls: await recallWaitingCalls(sharedRuntimes.get(haft)!.ledger),
});
