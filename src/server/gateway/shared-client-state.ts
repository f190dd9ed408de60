import { hasSharedKey } from "../../ledger/postgres-messaging/shared-store.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { type ConversationTaints, sharedConversationTaints } from "./conversation-taints.ts";
import { sharedWaitingCalls, type WaitingCalls } from "./waiting-calls.ts";

/** What gateways over one PostgreSQL ledger share about their clients. */
export interface SharedClientState {
  readonly conversationTaints: ConversationTaints;
  readonly waitingCalls: WaitingCalls;
  readonly close: () => Promise<void>;
}

export interface SharedClientStateResult {
  readonly state?: SharedClientState;
  /** Why nothing is shared although the ledger is in PostgreSQL. */
  readonly warning?: string;
}

export const openSharedClientState = async (haft: Haft): Promise<SharedClientStateResult> => {
  const url = sharedRuntimes.get(haft)?.ledgerUrl;
  if (url === undefined || !/^postgres(?:ql)?:/.test(url)) return {};
  if (!hasSharedKey()) {
    return { warning: `${notShared} Set HAFT_LEDGER_KEY to the same key for all gateways over this ledger.` };
  }
  const { openPostgresClientState } = await import("./postgres-client-state.ts");
  try {
    const { taints, waiting, close } = await openPostgresClientState({ url });
    return {
      state: {
        conversationTaints: sharedConversationTaints(taints, Date.now),
        waitingCalls: sharedWaitingCalls(waiting),
        close,
      },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { warning: `${notShared} ${why}` };
  }
};

const notShared = "This gateway does not share pending calls and taints with others over this ledger.";
