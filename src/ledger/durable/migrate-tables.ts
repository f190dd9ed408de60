import * as Effect from "effect/Effect";
import { canonicalJson } from "../../base/json/canonical-json.ts";
import { type ChainKeys, keysOnKind } from "./chain/chain-keys.ts";
import { lockFreeChains, readHeads } from "./chain/chains.ts";
import { chainOf, chainStart } from "./chain/signed-row.ts";
import type { Database, Script } from "./database.ts";
import { dialectOf, type SqlDialect } from "./dialect.ts";
import type { GroupWriter, Operation } from "./group-writer.ts";
import { migrate } from "./migrations.ts";
import { createMissingMonths, missingMonths } from "./months/months.ts";

interface MigrateTablesOptions {
  readonly database: Database;
  readonly writer: Pick<GroupWriter, "write">;
  readonly chainKeys: ChainKeys;
  readonly now: () => number;
}

/** Returns the previous version, 0 for none. */
export const migrateTables = async ({
  database,
  writer,
  chainKeys,
  now,
}: MigrateTablesOptions): Promise<number> => {
  const dialect = dialectOf(database);
  const { had, missing } = await database.write(() => migrateAndListMissingMonths(dialect, now()), {
    alone: true,
  });
  // Otherwise rows go to the newest month, and the next process retries.
  if (missing.length > 0) await createMissingMonths(database, now()).catch(() => {});
  // From here on, a chain without MACs counts as tampered with.
  if (chainKeys.newest === undefined || (had !== 1 && !dialect.hasChains)) return had;
  const isUnkeyed = had === 1 || (await database.read(hasOnlyUnkeyedChains));
  if (isUnkeyed) await Effect.runPromise(writer.write(() => turnKeysOnOperation(dialect, had === 1, now())));
  return had;
};

function* migrateAndListMissingMonths(
  dialect: SqlDialect,
  now: number,
): Script<{ readonly had: number; readonly missing: readonly number[] }> {
  const had = yield* migrate(dialect, now);
  return { had, missing: yield* missingMonths(dialect, now) };
}

/** Once a process with a key has written, unkeyed chains count as forged. */
function* hasOnlyUnkeyedChains(): Script<boolean> {
  const heads = yield* readHeads();
  return heads.length > 0 && heads.every(({ keyId }) => keyId === null);
}

const turnKeysOnOperation = (dialect: SqlDialect, isOwnToo: boolean, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const turnOn = (): void => {
      const { seq, keyId } = transaction.head;
      if (seq === chainStart(chainOf(seq)) || keyId !== null) return;
      const body = canonicalJson({ unkeyed: seq });
      transaction.append({ at, kind: keysOnKind, entryId: null, runId: null, body });
    };
    if (isOwnToo) turnOn();
    for (const chain of yield* lockFreeChains(dialect)) yield* transaction.onChain(chain, turnOn);
  },
});
