import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type { Redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { LedgerQuery } from "../../words/ledger.ts";
import { toLedgerError } from "../refusals.ts";
import { approvalBook } from "./approvals/approvals.ts";
import { asking } from "./asking.ts";
import { pruning } from "./chain/prune.ts";
import { selectRows, verifyChain } from "./chain/verify.ts";
import type { Database } from "./database.ts";
import { dialectOf } from "./dialect.ts";
import { checkTables, migrate } from "./migrations.ts";
import { lookOn } from "./owners/look-on.ts";
import { type Presence, watch } from "./owners/watch.ts";
import { type Blobs, blobs } from "./payloads/blobs.ts";
import { sweep } from "./payloads/sweep.ts";
import { vault } from "./payloads/vault.ts";
import { type Looking, recalling, selectEntries } from "./read-entries.ts";
import { runBook } from "./runs/runs.ts";
import { scribe } from "./scribe.ts";
import type { Store } from "./store.ts";
import { closing, opening, reserving, starting } from "./write-entries.ts";
import { noWriter, writer } from "./writer.ts";

export interface DurableLedgerOptions {
  readonly redactor: Redactor;
  /** Where it is, for whoever asks, without any password. */
  readonly place: string;
  /** 32 bytes. Without them exact texts are not kept. */
  readonly key?: Uint8Array | undefined;
  /** A folder for sealed texts that are too long for a row. */
  readonly blobs?: string | undefined;
  /** Exact texts stay until they are pruned. */
  readonly keepPayloads?: boolean | undefined;
  /** Leaves everything as it is: nothing is made, nobody is registered, and whatever would write fails. */
  readonly readOnly?: boolean | undefined;
  readonly now?: () => number;
}

/** Brings the tables up to date, makes itself known, and closes what a process left that died. */
export const durableLedger = async (
  database: Database,
  options: DurableLedgerOptions,
): Promise<DurableLedger> => {
  const { redactor, place, key, keepPayloads = false, readOnly = false, now = Date.now } = options;
  const dialect = dialectOf(database);
  const spill: Blobs | undefined = options.blobs === undefined ? undefined : blobs(options.blobs);
  const safe = vault(key, spill);
  const owner = randomUUID();
  const writes = readOnly ? noWriter(place) : writer(database, safe.drop);
  try {
    let presence: Presence;
    if (readOnly) {
      await database.read(() => checkTables(dialect, place));
      presence = lookOn(database, now);
    } else {
      await database.write(() => migrate(dialect));
      presence = await watch({ database, writer: writes, owner, now });
    }
    const store: Store = {
      database,
      dialect,
      writer: writes,
      scribe: scribe(redactor),
      vault: safe,
      blobs: spill,
      owner,
      now,
      keepPayloads,
      stayAlive: presence.stayAlive,
      runsHere: new Set(),
    };
    return assemble(store, presence, place);
  } catch (error) {
    await database.close();
    throw toLedgerError(error);
  }
};

const assemble = (store: Store, presence: Presence, place: string): DurableLedger => {
  const { database, dialect, writer: writes, vault: safe, now } = store;
  const { recover } = presence;
  const looking = (): Looking => ({ dialect, dead: presence.dead() });
  const afterRecovery = <A>(ask: () => Promise<A>) => asking(() => recover("if due").then(ask));
  const reserve: DurableLedger["reserve"] = (claim) => writes.write(() => reserving(claim));
  let ended: Promise<void> | undefined;
  return {
    place,
    open: (given) => {
      store.stayAlive();
      return writes.write(() => opening(store, given));
    },
    intend: (intent) => writes.write(() => starting(store, intent)),
    close: (given) => writes.write(() => closing(store, given)),
    entries: (query = {}) =>
      afterRecovery(() => database.read(() => selectEntries(looking(), asWritten(store.scribe, query)))),
    recall: (entryId) => afterRecovery(() => database.read(() => recalling(looking(), safe, entryId))),
    // A key that a dead process holds is under way only as long as nobody noticed.
    reserve: (claim) =>
      Effect.flatMap(reserve(claim), (found) =>
        found.kind === "known" && found.ending === "open"
          ? Effect.flatMap(
              asking(() => recover("now")),
              (lost) => (lost ? reserve(claim) : Effect.succeed(found)),
            )
          : Effect.succeed(found),
      ),
    approvals: approvalBook(store),
    runs: runBook(store, presence),
    rows: (query = {}) => asking(() => database.read(() => selectRows(query))),
    verify: ({ expect } = {}) => asking(() => verifyChain(store, expect)),
    prune: (before) =>
      Effect.tap(
        writes.write(() => pruning(before, now())),
        () => asking(() => sweep(store)),
      ),
    end: () => {
      ended ??= finish(store, presence.leave);
      return ended;
    },
  };
};

/** Names are looked for as they were written down: masked, cut and well formed. */
const asWritten = ({ name }: Store["scribe"], query: LedgerQuery): LedgerQuery =>
  query.callId === undefined ? query : { ...query, callId: name(query.callId) };

const finish = async ({ database, writer: writes }: Store, leave: () => Effect.Effect<void, LedgerError>) => {
  try {
    await Effect.runPromise(Effect.ignore(leave()));
    await writes.end();
  } finally {
    await database.close();
  }
};
