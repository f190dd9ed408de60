import type { HeldRunLeases } from "../held-run-leases.ts";
import type { ChainKeys } from "./chain/chain-keys.ts";
import type { Database, ServerClock } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import type { GroupWriter } from "./group-writer.ts";
import type { Blobs } from "./payloads/blobs.ts";
import type { Vault } from "./payloads/vault.ts";
import type { RowTexts } from "./row-texts.ts";

export interface DurableStore {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly writer: GroupWriter;
  readonly rowTexts: RowTexts;
  readonly vault: Vault;
  readonly chainKeys: ChainKeys;
  readonly blobs: Blobs | undefined;
  readonly owner: string;
  readonly now: () => number;
  readonly keepPayloads: boolean;
  readonly clock: ServerClock;
  readonly stayAlive: () => void;
  /** Exact texts of their calls are kept until they end. */
  readonly held: HeldRunLeases;
}
