import * as Effect from "effect/Effect";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { ChainKeys } from "./chain/chain-keys.ts";
import { lockFreeChains, readHeads } from "./chain/chains.ts";
import { keysOn } from "./chain/key-changes.ts";
import { chainOf, chainStart } from "./chain/link.ts";
import type { Database, Script } from "./database.ts";
import { dialectOf, type SqlDialect } from "./dialect.ts";
import { migrate } from "./migrations.ts";
import { makeMonths, missingMonths } from "./months/months.ts";
import type { GroupWriter, Operation } from "./writer.ts";

interface Migrating {
  readonly database: Database;
  readonly writer: Pick<GroupWriter, "write">;
  readonly chainKeys: ChainKeys;
  readonly now: () => number;
}

/** Makes the tables or brings them up to date, and says of which version they were; 0 is of none. */
export const migrateTables = async ({ database, writer, chainKeys, now }: Migrating): Promise<number> => {
  const dialect = dialectOf(database);
  const { had, missing } = await database.write(() => migrating(dialect, now()), { alone: true });
  // Where it cannot be done now, rows go to the newest month there is, and whoever comes next tries again.
  if (missing.length > 0) await makeMonths(database, now()).catch(() => {});
  // From here on a chain without any MAC is one whose MACs were taken off.
  if (chainKeys.newest === undefined || (had !== 1 && !dialect.hasChains)) return had;
  const isUnkeyed = had === 1 || (await database.read(areAllUnkeyed));
  if (isUnkeyed) await Effect.runPromise(writer.write(() => turningKeysOn(dialect, had === 1, now())));
  return had;
};

function* migrating(
  dialect: SqlDialect,
  now: number,
): Script<{ readonly had: number; readonly missing: readonly number[] }> {
  const had = yield* migrate(dialect, now);
  return { had, missing: yield* missingMonths(dialect, now) };
}

/** Nobody who has a key wrote here yet: once somebody did, a chain without MACs beside the others is a forger's. */
function* areAllUnkeyed(): Script<boolean> {
  const heads = yield* readHeads();
  return heads.length > 0 && heads.every(({ keyId }) => keyId === null);
}

/** Each row covers every row before it. This store's own chain gets one with its next row in any case. */
const turningKeysOn = (dialect: SqlDialect, isOwnToo: boolean, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const turnOn = (): void => {
      const { seq, keyId } = transaction.head;
      if (seq === chainStart(chainOf(seq)) || keyId !== null) return;
      const body = canonicalJson({ unkeyed: seq });
      transaction.append({ at, kind: keysOn, entryId: null, runId: null, body });
    };
    if (isOwnToo) turnOn();
    for (const chain of yield* lockFreeChains(dialect)) yield* transaction.onChain(chain, turnOn);
  },
});
