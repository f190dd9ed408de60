import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type { Redactor } from "../../base/json/redact.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerError } from "../../types/errors.ts";
import type {
  EntryClosing,
  LedgerEntry,
  LedgerQuery,
  SettlementRequest,
  SettlementResult,
} from "../../types/ledger.ts";
import { createHeldRunLeases } from "../held-run-leases.ts";
import { toLedgerError } from "../ledger-errors.ts";
import { createJointMasking } from "../mask-entry.ts";
import { checkSettleable, maskSettlement, toSettledClosing } from "../settled-closing.ts";
import {
  type AnchorOptions,
  type AnchorScheduler,
  defaultAnchorOptions,
  startAnchorScheduler,
  writeAnchor,
} from "./anchors/write-anchor.ts";
import { createApprovalStore } from "./approvals/approval-store.ts";
import { createChainKeys, keysOffKind } from "./chain/chain-keys.ts";
import { lockFreeChains } from "./chain/chains.ts";
import { pruneChain } from "./chain/prune-chain.ts";
import { parseRowBody } from "./chain/signed-row.ts";
import { verifyChains } from "./chain/verify-chains.ts";
import { createServerClock, type Database, type Script } from "./database.ts";
import { dialectOf, type SqlDialect } from "./dialect.ts";
import type { DurableStore } from "./durable-store.ts";
import type { EntryState } from "./entry-state.ts";
import { fromPromise } from "./from-promise.ts";
import { createGroupWriter, createReadOnlyWriter, type Operation } from "./group-writer.ts";
import { claimKey } from "./keys/claim-key.ts";
import { releaseKeys } from "./keys/release-key.ts";
import { defaultLeaseTimings, type LeaseTimings } from "./leases/ledger-owners.ts";
import { joinLedgerOwners, type OwnerPresence, observeLedgerOwners } from "./leases/owner-presence.ts";
import { migrateTables } from "./migrate-tables.ts";
import { checkTables } from "./migrations.ts";
import { type Blobs, createBlobs } from "./payloads/blobs.ts";
import { createVault, sealLazily } from "./payloads/vault.ts";
import {
  type ReadContext,
  recallStoredEntry,
  selectAnchors,
  selectEntries,
  selectHeads,
  selectRows,
} from "./read-entries.ts";
import { createRowTexts, toStorableName } from "./row-texts.ts";
import { createRunStore, writeUnderLease } from "./runs/run-store.ts";
import { toEntryEnding } from "./stored-ending.ts";
import { surveyCalls } from "./survey-calls.ts";
import type { Transaction } from "./transaction.ts";
import { closeEntry, deletePayload, openEntry, startEntry } from "./write-entries.ts";

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

type SettleOutcome = Exclude<SettlementResult, { readonly kind: "done" }> | { readonly kind: "done" };

const settleEntry = (store: DurableStore, request: SettlementRequest): Operation<SettleOutcome> => {
  const { rowTexts, vault } = store;
  const entryId = toStorableName(request.entryId);
  const { result } = request;
  const shown = result === undefined ? undefined : rowTexts.text(result);
  const isExact = shown === result;
  const sealed = sealLazily(vault, isExact ? undefined : result, `${entryId}/result`);
  return {
    entryIds: [entryId],
    full: true,
    discard: sealed.discard,
    *run(transaction) {
      const entry = yield* transaction.entry(entryId);
      if (entry === undefined) return { kind: "missing" };
      const before = yield* readClosing(transaction, entry);
      const refused = checkSettleable({ ...before, ending: toEntryEnding(entry.ending) });
      if (refused !== undefined) return refused as SettleOutcome;
      const at = store.now();
      const { settlement, ...closing } = toSettledClosing(request, entry.tool, at);
      const { behind: _, isExact: __, ...kept } = before;
      const body = JSON.stringify({
        ...kept,
        ...closing,
        isExact,
        result: shown,
        settlement: maskSettlement(settlement, rowTexts.text),
        tool: entry.tool,
      });
      const { runId } = entry;
      const row = { at, kind: "closed", entryId, runId, body: transaction.behind(entry, body) };
      const ending = settlement.tookEffect ? "settled" : closing.ending;
      transaction.end(entry, ending, entry.tool, transaction.append(row), at);
      if (!settlement.tookEffect && entry.keyed) yield* releaseKeys(transaction, entry);
      const text = sealed.tryGet();
      if (text === undefined) return { kind: "done" };
      if (entry.payloads) yield* deletePayload(transaction, entryId, "result");
      transaction.keep([entryId, "result", runId, ...text]);
      transaction.change(entry, { payloads: true });
      return { kind: "done" };
    },
  };
};

function* readClosing(
  transaction: Transaction,
  { closeSeq }: EntryState,
): Script<Partial<LedgerEntry> & { readonly behind?: unknown; readonly isExact?: unknown }> {
  if (closeSeq === null) return {};
  yield* transaction.flush();
  const [row] = yield { sql: "SELECT body FROM haft_records WHERE seq = ?", values: [closeSeq] };
  return parseRowBody(row?.body);
}

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
