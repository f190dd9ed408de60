import { type ChainKeys, type ChainTip, keyRotatedKind, rotationBefore } from "./chain/chain-keys.ts";
import { type ChainOwner, claimChain, isAlmostFull, readHead, retireChain } from "./chain/chains.ts";
import {
  chainOf,
  firstChain,
  genesisHash,
  hashRow,
  type RowContent,
  recordColumns,
} from "./chain/signed-row.ts";
import { type Row, type Script, type SqlValue, StaleCacheError } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import {
  type CachedState,
  type EntryState,
  entryColumns,
  lastRowsInOtherChains,
  readEntryState,
  toEntryRow,
  updateEntries,
} from "./entry-state.ts";
import { monthOf, noMonth, type WritableMonths, writableMonth } from "./months/month-tables.ts";
import { readWritableMonths } from "./months/months.ts";
import type { Payload } from "./payloads/vault.ts";
import { RunLeases, RunWrites } from "./runs/run-writes.ts";

export interface WriterContext {
  readonly keys: ChainKeys;
  readonly owner: ChainOwner;
  readonly now: () => number;
}

const monthsCacheMs = 60_000;

const payloadColumns = ["entry_id", "kind", "run_id", "sealed", "file"];

/** Writes are collected until the end; code that queries them before must flush first. */
export class Transaction {
  readonly #dialect: SqlDialect;
  readonly #keys: ChainKeys;
  readonly #owner: ChainOwner;
  readonly #entries = new Map<string, EntryState | undefined>();
  readonly #newEntries = new Set<EntryState>();
  readonly #changedEntries = new Map<EntryState, { isMore: boolean }>();
  readonly #now: number;
  #head: ChainTip = { seq: 0, hash: genesisHash, kind: "", keyId: null, month: noMonth };
  #months: WritableMonths = { from: noMonth, to: noMonth, readAt: 0 };
  #month = noMonth;
  #isCached = false;
  #records: SqlValue[][] = [];
  #payloads: Payload[] = [];
  #droppedPayloadEntries: string[] = [];
  readonly claims: RunLeases;
  readonly runs: RunWrites;
  readonly trashed: string[] = [];

  constructor(dialect: SqlDialect, { keys, owner, now }: WriterContext) {
    this.#dialect = dialect;
    this.claims = new RunLeases(dialect, owner.owner);
    this.runs = new RunWrites(dialect, this.claims);
    this.#keys = keys;
    this.#owner = owner;
    this.#now = now();
  }

  get head(): ChainTip {
    return this.#head;
  }

  get months(): WritableMonths {
    return this.#months;
  }

  get month(): number {
    return Math.max(this.#month, this.#head.month);
  }

  /** The cache is only checked by conditional writes. */
  get isRemembering(): boolean {
    return this.#isCached;
  }

  get touched(): Iterable<EntryState | undefined> {
    return this.#entries.values();
  }

  *open(entryIds: readonly string[], cached: CachedState | undefined): Script<void> {
    this.#months = yield* this.#findMonths(cached?.months);
    if (this.#dialect.hasMonths) this.#month = writableMonth(this.#now, this.#months);
    if (cached === undefined) this.#head = yield* this.#findHead();
    else {
      this.#head = cached.head;
      this.#isCached = true;
      this.claims.remember(cached.run);
      if (this.#dialect.hasChains && isAlmostFull(cached.head))
        throw new StaleCacheError("The chain is full.");
    }
    const unknown: string[] = [];
    for (const id of entryIds) {
      const entry = cached?.entry(id);
      if (entry === undefined) unknown.push(id);
      else this.#entries.set(id, entry);
    }
    yield* this.#load(unknown);
  }

  *#findMonths(known: WritableMonths | undefined): Script<WritableMonths> {
    if (known !== undefined) {
      if (known.to >= monthOf(this.#now) || this.#now - known.readAt < monthsCacheMs) return known;
      if (!this.#dialect.hasMonths) return known;
    }
    return yield* readWritableMonths(this.#dialect, this.#now);
  }

  *#findHead(): Script<ChainTip> {
    for (;;) {
      const head = yield* readHead(yield* claimChain(this.#dialect, this.#owner, this.#keys));
      if (!this.#dialect.hasChains || !isAlmostFull(head)) return head;
      yield retireChain(head);
    }
  }

  *onChain(chain: number, append: () => void): Script<void> {
    yield* this.flush();
    const mine = this.#head;
    this.#head = yield* readHead(chain);
    append();
    yield* this.flush();
    this.#head = mine;
  }

  *#load(ids: readonly string[]): Script<void> {
    if (ids.length === 0) return;
    const rows = yield { sql: selectEntryStatesSql(this.#dialect), values: [JSON.stringify(ids)] };
    for (const id of ids) this.#entries.set(id, undefined);
    for (const row of rows) this.#entries.set(String(row.entry_id), readEntryState(row));
  }

  *entry(id: string): Script<EntryState | undefined> {
    if (!this.#entries.has(id)) yield* this.#load([id]);
    return this.#entries.get(id);
  }

  known(id: string): EntryState | undefined {
    return this.#entries.get(id);
  }

  add(entry: EntryState): void {
    this.#entries.set(entry.entryId, entry);
    this.#newEntries.add(entry);
  }

  change(entry: EntryState, changes: Partial<EntryState>): void {
    if (changes.lastSeq !== undefined) this.#keepOtherChainRows(entry, changes.lastSeq);
    Object.assign(entry, changes);
    if (!this.#newEntries.has(entry)) this.#changedEntries.set(entry, { isMore: true });
  }

  /** Writes fewer columns than `change`. */
  end(entry: EntryState, ending: EntryState["ending"], tool: string, seq: number, at: number): void {
    entry.ending = ending;
    entry.tool = tool;
    this.#keepOtherChainRows(entry, seq);
    entry.closeSeq = seq;
    entry.lastSeq = seq;
    entry.closedAt = at;
    if (!this.#newEntries.has(entry) && !this.#changedEntries.has(entry))
      this.#changedEntries.set(entry, { isMore: entry.elsewhere !== null });
  }

  /** A rotation row precedes it if the newest key is new in this chain. */
  append(statement: RowContent): number {
    const rotation = rotationBefore(this.#head, this.#keys);
    if (rotation !== undefined) {
      this.#appendRow({ at: statement.at, kind: keyRotatedKind, entryId: null, runId: null, body: rotation });
    }
    return this.#appendRow(statement);
  }

  #appendRow({ at, kind, entryId, runId, body }: RowContent): number {
    const { newest } = this.#keys;
    const keyId = newest?.id ?? null;
    const { seq: last, hash: prev } = this.#head;
    const seq = last + 1;
    const chain = this.#dialect.hasChains ? chainOf(seq) : firstChain;
    const hash = hashRow(prev, { chain, seq, prev, at, kind, entryId, runId, body, keyId });
    const mac = newest?.mac(hash) ?? null;
    const month = this.#monthOf(entryId);
    this.#records.push([chain, seq, prev, at, kind, entryId, runId, body, hash, mac, keyId, month]);
    this.#head = { seq, hash, kind, keyId, month };
    return seq;
  }

  /** Never earlier than the previous row or the entry, despite clock skew. */
  #monthOf(entryId: string | null): number {
    const entry = entryId === null ? undefined : this.#entries.get(entryId);
    return Math.max(this.month, entry?.month ?? noMonth);
  }

  /** Names the entry's rows in other chains, across which sequence numbers do not order. */
  behind(entry: EntryState, body: string): string {
    const elsewhere = lastRowsInOtherChains(entry, this.#head.seq);
    return elsewhere === null ? body : `${body.slice(0, -1)},"behind":${elsewhere}}`;
  }

  /** Its chain must not be pruned before the entry. */
  mention(entry: EntryState, seq: number): void {
    if (chainOf(seq) !== chainOf(entry.lastSeq))
      this.change(entry, { elsewhere: lastRowsInOtherChains({ ...entry, lastSeq: seq }, entry.lastSeq) });
  }

  #keepOtherChainRows(entry: EntryState, seq: number): void {
    entry.elsewhere = lastRowsInOtherChains(entry, seq);
  }

  keep(payload: Payload): void {
    this.#payloads.push(payload);
  }

  dropPayloads(entryId: string): void {
    this.#droppedPayloadEntries.push(entryId);
  }

  trash(rows: readonly Row[]): void {
    for (const { file } of rows) if (typeof file === "string") this.trashed.push(file);
  }

  *flush(): Script<void> {
    if (this.#records.length > 0) {
      yield { insert: "haft_records", columns: recordColumns, rows: this.#records };
      this.#records = [];
    }
    if (this.#newEntries.size > 0) {
      yield { insert: "haft_entries", columns: entryColumns, rows: Array.from(this.#newEntries, toEntryRow) };
      this.#newEntries.clear();
    }
    if (this.#changedEntries.size > 0) {
      yield* updateEntries(this.#dialect, this.#changedEntries);
      this.#changedEntries.clear();
    }
    yield* this.runs.flush();
    yield* this.#flushPayloads();
    yield* this.runs.dropTexts();
  }

  *#flushPayloads(): Script<void> {
    if (this.#payloads.length > 0) {
      yield { insert: "haft_payloads", columns: payloadColumns, rows: this.#payloads };
      this.#payloads = [];
    }
    if (this.#droppedPayloadEntries.length > 0) {
      const rows = yield {
        sql: `DELETE FROM haft_payloads WHERE entry_id ${this.#dialect.amongTexts} RETURNING file`,
        values: [JSON.stringify(this.#droppedPayloadEntries)],
      };
      this.trash(rows);
      this.#droppedPayloadEntries = [];
    }
  }
}

const selectSqlCache = new WeakMap<SqlDialect, string>();

/**
 * A constant text stays prepared. Entries being pruned count: a forged pruning must not allow a second
 * execution.
 */
const selectEntryStatesSql = (dialect: SqlDialect): string => {
  let text = selectSqlCache.get(dialect);
  if (text === undefined) {
    text = `SELECT ${entryColumns.join(", ")} FROM haft_entries WHERE entry_id ${dialect.amongTexts}`;
    selectSqlCache.set(dialect, text);
  }
  return text;
};
