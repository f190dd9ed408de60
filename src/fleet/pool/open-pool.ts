import { checkFields } from "../../base/json/check-fields.ts";
import { openSharedStore } from "../../ledger/postgres-messaging/shared-store.ts";
import type { Haft } from "../../runtime/haft.ts";
import { sharedRuntimes } from "../../runtime/shared-runtime.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { AnyTool } from "../../types/tool.ts";
import { isPostgresUrl } from "../open-queue.ts";
import { servePools } from "./serve-pools.ts";

/** Which pool a process works for, and with which tools. */
export interface PoolOptions {
  readonly pool: string;
  /** The code of the pool's tools, with the specs that callers know. */
  readonly tools: readonly AnyTool[];
  /** Calls at once. Unless set: 4. */
  readonly concurrency?: number;
}

/** A process that works for a pool. */
export interface Pool {
  /** Of this process, as entries note it. */
  readonly name: string;
  /** Takes no more calls, and waits for those that run. */
  readonly close: () => Promise<void>;
}

/**
 * Runs calls of a pool in this process. `haft` has the ledger that callers write to and the policy that each call is held
 * against once more; the calls make no entries of their own.
 */
export const openPool = async (haft: Haft, options: PoolOptions): Promise<Pool> => {
  checkFields("openPool", options, ["pool", "tools", "concurrency"]);
  const { pool, tools, concurrency = 4 } = options;
  const shared = sharedRuntimes.get(haft);
  const url = shared?.ledgerUrl;
  if (shared === undefined || !isPostgresUrl(url)) {
    throw new ConfigurationError(
      "invalid_config",
      'A pool works for callers whose ledger it has too: open the runtime with ledger: "postgres://…".',
    );
  }
  const store = await openSharedStore({ url });
  const serving = await servePools({ shared, store, pools: [pool], tools: () => tools, concurrency });
  return {
    name: store.name,
    close: async () => {
      await serving.stop();
      await serving.close();
    },
  };
};
