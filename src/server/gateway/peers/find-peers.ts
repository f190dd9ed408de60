import { hasSharedKey } from "../../../ledger/postgres-messaging/shared-store.ts";
import type { Haft } from "../../../runtime/haft.ts";
import { sharedRuntimes } from "../../../runtime/shared-runtime.ts";
import type { Peers } from "./peers.ts";

/** Other gateways, or why this one is alone although its ledger could be shared. */
export interface PeersResult {
  readonly peers?: Peers;
  readonly warning?: string;
}

/**
 * Whoever serves over one PostgreSQL ledger with one key may stand behind one address. Elsewhere a gateway is alone, and
 * so is one that may not make its tables.
 */
export const findPeers = async (haft: Haft): Promise<PeersResult> => {
  const place = sharedRuntimes.get(haft)?.ledgerUrl;
  if (place === undefined || !/^postgres(?:ql)?:/.test(place)) return {};
  if (!hasSharedKey()) {
    return {
      warning: `${alonePrefix} Set HAFT_LEDGER_KEY to the same key for all gateways over this ledger.`,
    };
  }
  const { openPostgresPeers: openPeers } = await import("./postgres-peers.ts");
  try {
    return { peers: await openPeers({ url: place }) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { warning: `${alonePrefix} ${why}` };
  }
};

const alonePrefix =
  "Sessions and tasks are known to this gateway alone, so that no other can stand beside it.";
