import * as Effect from "effect/Effect";
import { canonicalJson } from "../../json/canonical-json.ts";
import type { ChainKeys } from "./chain/chain-keys.ts";
import { keysOn } from "./chain/key-changes.ts";
import type { Database } from "./database.ts";
import { dialectOf } from "./dialect.ts";
import { migrate } from "./migrations.ts";
import type { GroupWriter, Operation } from "./writer.ts";

interface Migrating {
  readonly database: Database;
  readonly writer: Pick<GroupWriter, "write">;
  readonly chainKeys: ChainKeys;
  readonly now: () => number;
}

/** Makes the tables or brings them up to date, and says of which version they were; 0 is of none. */
export const migrateTables = async ({ database, writer, chainKeys, now }: Migrating): Promise<number> => {
  const had = await database.write(() => migrate(dialectOf(database)));
  // From here on a chain without any MAC is one whose MACs were taken off.
  if (had === 1 && chainKeys.newest !== undefined) {
    await Effect.runPromise(writer.write(() => turningKeysOn(now())));
  }
  return had;
};

const turningKeysOn = (at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const { seq, keyId } = transaction.head;
    if (seq === 0 || keyId !== null) return;
    const body = canonicalJson({ unkeyed: seq });
    transaction.append({ at, kind: keysOn, entryId: null, runId: null, body });
  },
});
