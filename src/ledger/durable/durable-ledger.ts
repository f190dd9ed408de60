import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type { Redactor } from "../../base/json/redact.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { EntryClosing, LedgerQuery } from "../../types/ledger.ts";
import { createHeldRunLeases } from "../held-run-leases.ts";
import { createJointMasking } from "../joint-masking.ts";
import { toLedgerError } from "../ledger-errors.ts";
import {
  type AnchorOptions,
  type AnchorScheduler,
  defaultAnchorOptions,
  startAnchorScheduler,
} from "./anchors/anchor-scheduler.ts";
import { writeAnchor } from "./anchors/write-anchor.ts";
import { createApprovalStore } from "./approvals/approval-store.ts";
import { createChainKeys } from "./chain/chain-keys.ts";
import { lockFreeChains } from "./chain/chains.ts";
import { keysOffKind } from "./chain/key-changes.ts";
import { pruneChain } from "./chain/prune-chain.ts";
import { verifyChains } from "./chain/verify-chains.ts";
import type { Database } from "./database.ts";
import { dialectOf, type SqlDialect } from "./dialect.ts";
import type { DurableStore } from "./durable-store.ts";
import { fromPromise } from "./from-promise.ts";
import { createGroupWriter, createReadOnlyWriter, type Operation } from "./group-writer.ts";
import { claimKey } from "./keys/claim-key.ts";
import { defaultLeaseTimings, type LeaseTimings } from "./leases/lease-timings.ts";
import { joinLedgerOwners, type OwnerPresence, observeLedgerOwners } from "./leases/owner-presence.ts";
import { migrateTables } from "./migrate-tables.ts";
import { checkTables } from "./migrations.ts";
import { type Blobs, createBlobs } from "./payloads/blobs.ts";
import { createVault } from "./payloads/vault.ts";
import { type ReadContext, recallStoredEntry, selectEntries } from "./read-entries.ts";
import { selectAnchors, selectHeads, selectRows } from "./read-rows.ts";
import { createRowTexts } from "./row-texts.ts";
import { createRunStore, writeUnderLease } from "./runs/run-store.ts";
import { createServerClock } from "./server-clock.ts";
import { settleEntry } from "./settle-entry.ts";
import { surveyCalls } from "./survey-calls.ts";
import { closeEntry, openEntry, startEntry } from "./write-entries.ts";

export interface DurableLedgerOptions {
  readonly redactor: Redactor;
  /** Without a password. */
  readonly place: string;
  /** 32 bytes each, newest first. Without keys, rows have no MAC and exact texts are not kept. */
  readonly keys?: readonly Uint8Array[] | undefined;
  readonly blobs?: string | undefined;
  readonly keepPayloads?: boolean | undefined;
  /** Opens without creating, registering or writing anything. */
  readonly readOnly?: boolean | undefined;
  readonly now?: () => number;
  /** For tests. */
  readonly times?: Partial<LeaseTimings> | undefined;
  readonly anchors?: Partial<AnchorOptions> | undefined;
  readonly keyFile?: string | undefined;
}

/** Migrates the tables, registers this process, and recovers the entries of dead ones. */
export const createDurableLedger = async (
  database: Database,
  options: DurableLedgerOptions,
): Promise<DurableLedger> => {
  const { redactor, place, keys = [], keepPayloads = false, readOnly = false, now = Date.now } = options;
  const dialect = dialectOf(database);
  const blobFiles: Blobs | undefined = options.blobs === undefined ? undefined : createBlobs(options.blobs);
  const sealVault = createVault(keys, blobFiles);
  const masking = createJointMasking(redactor);
  const owner = randomUUID();
  const keyRing = createChainKeys(keys);
  const groupWriter = readOnly
    ? createReadOnlyWriter(place)
    : createGroupWriter(database, { keys: keyRing, owner, now }, sealVault.drop);
  try {
    const heldLeases = createHeldRunLeases();
    const clock = createServerClock(dialect, now);
    const times = { ...defaultLeaseTimings, ...options.times };
    let presence: OwnerPresence;
    if (readOnly) {
      await database.read(() => checkTables(dialect, place));
      presence = observeLedgerOwners({ database, dialect, times });
    } else {
      await migrateTables({ database, writer: groupWriter, chainKeys: keyRing, now });
      presence = await joinLedgerOwners({
        database,
        dialect,
        writer: groupWriter,
        owner,
        now,
        held: heldLeases,
        clock,
        times,
      });
    }
    const store: DurableStore = {
      database,
      dialect,
      writer: groupWriter,
      rowTexts: createRowTexts(masking.masking),
      vault: sealVault,
      chainKeys: keyRing,
      blobs: blobFiles,
      owner,
      now,
      keepPayloads,
      stayAlive: presence.stayAlive,
      clock,
      held: heldLeases,
    };
    const isAnchored = dialect.hasChains && !readOnly;
    const anchors = isAnchored
      ? startAnchorScheduler(store, place, { ...defaultAnchorOptions, ...options.anchors })
      : undefined;
    const { keyFile } = options;
    return { ...assembleLedger(store, presence, { place, keyFile }, anchors), alsoMask: masking.add };
  } catch (error) {
    await database.close();
    throw toLedgerError(error);
  }
};

const assembleLedger = (
  store: DurableStore,
  presence: OwnerPresence,
  { place, keyFile }: Pick<DurableLedgerOptions, "place" | "keyFile">,
  anchors: AnchorScheduler | undefined,
): Omit<DurableLedger, "alsoMask"> => {
  const { database, dialect, writer: writes, vault: safe, now } = store;
  const { recover } = presence;
  const readContext = (): ReadContext => ({ dialect, dead: presence.dead() });
  const afterRecovery = <A>(ask: () => Promise<A>) => fromPromise(() => recover("if due").then(ask));
  const reserve: DurableLedger["reserve"] = (claim) =>
    writeUnderLease(store, claim, () => claimKey(store, claim));
  let ended: Promise<void> | undefined;
  return {
    place,
    open: (given) => {
      store.stayAlive();
      return writeUnderLease(store, given, () => openEntry(store, given));
    },
    intend: (intent) => writeUnderLease(store, intent, () => startEntry(store, intent)),
    close: (given) =>
      given.isSoon === true && given.epoch !== undefined
        ? closeDeferred(store, given)
        : writeUnderLease(store, given, () => closeEntry(store, given)),
    entries: (query = {}) =>
      afterRecovery(() =>
        database.read(() => selectEntries(readContext(), toStoredQuery(store.rowTexts, query))),
      ),
    recall: (entryId) =>
      afterRecovery(() => database.read(() => recallStoredEntry(readContext(), safe, entryId))),
    // An open entry may belong to a dead process: recover it first.
    reserve: (claim) =>
      Effect.flatMap(reserve(claim), (found) =>
        found.kind === "known" && found.ending === "open"
          ? Effect.flatMap(
              fromPromise(() => recover("now")),
              (lost) => (lost ? reserve(claim) : Effect.succeed(found)),
            )
          : Effect.succeed(found),
      ),
    // A call of a dead process is `unknown` even before that is recorded.
    settle: (request) =>
      Effect.gen(function* () {
        yield* fromPromise(() => recover("now"));
        const settled = yield* writes.write(() => settleEntry(store, request));
        if (settled.kind !== "done") return settled;
        const [entry] = yield* fromPromise(() =>
          database.read(() => selectEntries(readContext(), { entryId: request.entryId })),
        );
        return { kind: "done", entry: entry! };
      }),
    approvals: createApprovalStore(store),
    runs: createRunStore(store, presence),
    rows: (query = {}) => fromPromise(() => database.read(() => selectRows(query))),
    heads: () => fromPromise(() => database.read(selectHeads)),
    survey: (query) => afterRecovery(() => database.read(() => surveyCalls(readContext(), query))),
    verify: (options = {}) =>
      fromPromise(async () => {
        const found = await verifyChains(store, options);
        return keyFile === undefined ? found : { ...found, keyFile };
      }),
    prune: (before, options = {}) => pruneChain(store, before, options),
    anchor: () => fromPromise(async () => (dialect.hasChains ? writeAnchor(store) : undefined)),
    anchors: (after = 0, limit = 1_000) =>
      fromPromise(async () => (dialect.hasChains ? database.read(() => selectAnchors(after, limit)) : [])),
    turnKeysOff: () => writes.write(() => turnKeysOffOperation(dialect, now())),
    end: () => {
      ended ??= closeLedger(store, presence.leave, anchors);
      return ended;
    },
  };
};

/** Later writes of the run are ordered behind it, and a failed write is retried. */
const closeDeferred = (store: DurableStore, given: EntryClosing): Effect.Effect<void> =>
  Effect.sync(() =>
    store.writer.writeSoon(
      () => closeEntry(store, given),
      () => {},
    ),
  );

/** Names are stored masked and truncated, so queries must match that. */
const toStoredQuery = ({ name }: DurableStore["rowTexts"], query: LedgerQuery): LedgerQuery => ({
  ...query,
  ...(query.callId === undefined ? {} : { callId: name(query.callId) }),
  ...(query.session === undefined ? {} : { session: name(query.session) }),
});

const closeLedger = async (
  { database, writer: writes }: DurableStore,
  leave: () => Effect.Effect<void, LedgerError>,
  anchors: AnchorScheduler | undefined,
) => {
  try {
    await Effect.runPromise(Effect.ignore(leave()));
    await anchors?.end();
    await writes.end();
  } finally {
    await database.close();
  }
};

const noSubject = { entryId: null, runId: null };

/** Does nothing if there is no MAC to turn off, and fails without the current key. */
const turnKeysOffOperation = (dialect: SqlDialect, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield* transaction.flush();
    const turnOff = (): void => {
      const { keyId, kind } = transaction.head;
      if (keyId !== null && kind !== keysOffKind)
        transaction.append({ ...noSubject, at, kind: keysOffKind, body: "{}" });
    };
    turnOff();
    for (const chain of yield* lockFreeChains(dialect)) yield* transaction.onChain(chain, turnOff);
  },
});
