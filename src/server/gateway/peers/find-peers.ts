import { hasSharedKey } from "../../ledger/beside/shared-store.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedBy } from "../../runtime/shared.ts";
import type { Peers } from "./peers.ts";

/** Other gateways, or why this one is alone although its ledger could be shared. */
export interface FoundPeers {
  readonly peers?: Peers;
  readonly warning?: string;
}

/**
 * Whoever serves over one PostgreSQL ledger with one key may stand behind one address. Elsewhere a gateway is alone, and
 * so is one that may not make its tables.
 */
export const peersOf = async (haft: Haft): Promise<FoundPeers> => {
  const place = sharedBy.get(haft)?.ledgerUrl;
  if (place === undefined || !/^postgres(?:ql)?:/.test(place)) return {};
  if (!hasSharedKey()) {
    return { warning: `${alone} Set HAFT_LEDGER_KEY to the same key for all gateways over this ledger.` };
  }
  const { openPeers } = await import("./postgres-peers.ts");
  try {
    return { peers: await openPeers({ url: place }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { warning: `${alone} ${why}` };
  }
};

const alone = "Sessions and tasks are known to this gateway alone, so that no other can stand beside it.";
