import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type { Redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Closing, LedgerQuery } from "../../words/ledger.ts";
import { heldClaims } from "../held-claims.ts";
import { jointMasking } from "../joint-masking.ts";
import { toLedgerError } from "../refusals.ts";
import {
  type AnchorKeeper,
  type AnchorOptions,
  anchorOptions,
  keepAnchoring,
} from "./anchors/keep-anchoring.ts";
import { writeAnchor } from "./anchors/write-anchor.ts";
import { approvalBook } from "./approvals/approvals.ts";
import { asking } from "./asking.ts";
import { chainKeys } from "./chain/chain-keys.ts";
import { lockFreeChains } from "./chain/chains.ts";
import { keysOff } from "./chain/key-changes.ts";
import { pruneChain } from "./chain/prune.ts";
import { verifyChains } from "./chain/verify.ts";
import type { Database } from "./database.ts";
import { dialectOf, type SqlDialect } from "./dialect.ts";
import { migrateTables } from "./migrate-tables.ts";
import { checkTables } from "./migrations.ts";
import { joinOwners, type OwnerPresence, observeOwners } from "./owners/presence.ts";
import { type PresenceTimes, presenceTimes } from "./owners/presence-times.ts";
import { type Blobs, blobs } from "./payloads/blobs.ts";
import { vault } from "./payloads/vault.ts";
import { type Looking, recalling, selectEntries } from "./read-entries.ts";
import { selectAnchors, selectHeads, selectRows } from "./read-rows.ts";
import { rowTexts } from "./row-texts.ts";
import { runBook, writeClaimed } from "./runs/runs.ts";
import { serverClock } from "./server-clock.ts";
import type { Store } from "./store.ts";
import { surveying } from "./survey.ts";
import { closing, opening, reserving, starting } from "./write-entries.ts";
import { noWriter, type Operation, writer } from "./writer.ts";

export interface DurableLedgerOptions {
  readonly redactor: Redactor;
  /** Where it is, for whoever asks, without any password. */
  readonly place: string;
  /** 32 bytes each, newest first. Without any, rows carry no MAC and exact texts are not kept. */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** A folder for sealed texts that are too long for a row. */
  readonly blobs?: string | undefined;
  /** Exact texts stay until they are pruned. */
  readonly keepPayloads?: boolean | undefined;
  /** Leaves everything as it is: nothing is made, nobody is registered, and whatever would write fails. */
  readonly readOnly?: boolean | undefined;
  readonly now?: () => number;
  /** How the living are told from the dead, where it must go faster than usual. */
  readonly times?: Partial<PresenceTimes> | undefined;
  /** Where several write, how often the ends of their chains are anchored, and where that is told. */
  readonly anchors?: Partial<AnchorOptions> | undefined;
}

/** Brings the tables up to date, makes itself known, and closes what a process left that died. */
export const durableLedger = async (
  database: Database,
  options: DurableLedgerOptions,
): Promise<DurableLedger> => {
  const { redactor, place, keys = [], keepPayloads = false, readOnly = false, now = Date.now } = options;
  const dialect = dialectOf(database);
  const spill: Blobs | undefined = options.blobs === undefined ? undefined : blobs(options.blobs);
  const safe = vault(keys, spill);
  const masking = jointMasking(redactor);
  const owner = randomUUID();
  const ring = chainKeys(keys);
  const writes = readOnly ? noWriter(place) : writer(database, { keys: ring, owner, now }, safe.drop);
  try {
    const held = heldClaims();
    const clock = serverClock(dialect, now);
    const times = { ...presenceTimes, ...options.times };
    let presence: OwnerPresence;
    if (readOnly) {
      await database.read(() => checkTables(dialect, place));
      presence = observeOwners({ database, dialect, times });
    } else {
      await migrateTables({ database, writer: writes, chainKeys: ring, now });
      presence = await joinOwners({ database, dialect, writer: writes, owner, now, held, clock, times });
    }
    const store: Store = {
      database,
      dialect,
      writer: writes,
      rowTexts: rowTexts(masking.masking),
      vault: safe,
      chainKeys: ring,
      blobs: spill,
      owner,
      now,
      keepPayloads,
      stayAlive: presence.stayAlive,
      clock,
      held,
    };
    const isAnchored = dialect.hasChains && !readOnly;
    const anchors = isAnchored
      ? keepAnchoring(store, place, { ...anchorOptions, ...options.anchors })
      : undefined;
    return { ...assemble(store, presence, place, anchors), alsoMask: masking.add };
  } catch (error) {
    await database.close();
    throw toLedgerError(error);
  }
};

const assemble = (
  store: Store,
  presence: OwnerPresence,
  place: string,
  anchors: AnchorKeeper | undefined,
): Omit<DurableLedger, "alsoMask"> => {
  const { database, dialect, writer: writes, vault: safe, now } = store;
  const { recover } = presence;
  const looking = (): Looking => ({ dialect, dead: presence.dead() });
  const afterRecovery = <A>(ask: () => Promise<A>) => asking(() => recover("if due").then(ask));
  const reserve: DurableLedger["reserve"] = (claim) =>
    writeClaimed(store, claim, () => reserving(store, claim));
  let ended: Promise<void> | undefined;
  return {
    place,
    open: (given) => {
      store.stayAlive();
      return writeClaimed(store, given, () => opening(store, given));
    },
    intend: (intent) => writeClaimed(store, intent, () => starting(store, intent)),
    close: (given) =>
      given.isSoon === true && given.epoch !== undefined
        ? closeSoon(store, given)
        : writeClaimed(store, given, () => closing(store, given)),
    entries: (query = {}) =>
      afterRecovery(() => database.read(() => selectEntries(looking(), asWritten(store.rowTexts, query)))),
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
    heads: () => asking(() => database.read(selectHeads)),
    survey: (query) => afterRecovery(() => database.read(() => surveying(looking(), query))),
    verify: (options = {}) => asking(() => verifyChains(store, options)),
    prune: (before, options = {}) => pruneChain(store, before, options),
    anchor: () => asking(async () => (dialect.hasChains ? writeAnchor(store) : undefined)),
    anchors: (after = 0, limit = 1_000) =>
      asking(async () => (dialect.hasChains ? database.read(() => selectAnchors(after, limit)) : [])),
    turnKeysOff: () => writes.write(() => turningKeysOff(dialect, now())),
    end: () => {
      ended ??= finish(store, presence.leave, anchors);
      return ended;
    },
  };
};

/** What its run writes next waits for it; an outcome that could not be written is tried again anyway. */
const closeSoon = (store: Store, given: Closing): Effect.Effect<void> =>
  Effect.sync(() =>
    store.writer.writeSoon(
      () => closing(store, given),
      () => {},
    ),
  );

/** Names are looked for as they were written down: masked, cut and well formed. */
const asWritten = ({ name }: Store["rowTexts"], query: LedgerQuery): LedgerQuery => ({
  ...query,
  ...(query.callId === undefined ? {} : { callId: name(query.callId) }),
  ...(query.session === undefined ? {} : { session: name(query.session) }),
});

const finish = async (
  { database, writer: writes }: Store,
  leave: () => Effect.Effect<void, LedgerError>,
  anchors: AnchorKeeper | undefined,
) => {
  try {
    await Effect.runPromise(Effect.ignore(leave()));
    await anchors?.end();
    await writes.end();
  } finally {
    await database.close();
  }
};

const ofNobody = { entryId: null, runId: null };

/** Does nothing where there is no MAC to turn off, and fails where there is no key to say so with. */
const turningKeysOff = (dialect: SqlDialect, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const turnOff = (): void => {
      const { keyId, kind } = transaction.head;
      if (keyId !== null && kind !== keysOff)
        transaction.append({ ...ofNobody, at, kind: keysOff, body: "{}" });
    };
    turnOff();
    for (const chain of yield* lockFreeChains(dialect)) yield* transaction.onChain(chain, turnOff);
  },
});
