import type { ChainKeys } from "./chain/chain-keys.ts";
import { type Head, keyRotated, rotationBefore } from "./chain/key-changes.ts";
import { genesis, linkColumns, linkHash, onlyChain, type RowContent } from "./chain/link.ts";
import type { Row, Script, SqlValue } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import type { CachedState } from "./entry-cache.ts";
import { type EntryState, entryColumns, readEntryState, toEntryRow, updateEntries } from "./entry-state.ts";
import type { Payload } from "./payloads/payload.ts";
import { RunClaims } from "./runs/run-claims.ts";

const payloadColumns = ["entry_id", "kind", "run_id", "sealed", "file"];

/**
 * What one transaction writes. Rows of the chain, entries and payloads are gathered and written at its end, so that
 * a hundred calls cost a handful of statements. Whoever looks for them by SQL before flushes first.
 */
export class Transaction {
  readonly #dialect: SqlDialect;
  readonly #keys: ChainKeys;
  readonly #entries = new Map<string, EntryState | undefined>();
  readonly #fresh = new Set<EntryState>();
  readonly #changed = new Map<EntryState, { isMore: boolean }>();
  #head: Head = emptyChain;
  #records: SqlValue[][] = [];
  #payloads: Payload[] = [];
  #dropped: string[] = [];
  /** The runs that this transaction writes for. */
  readonly claims: RunClaims;
  /** Files that nothing points to once this is committed. */
  readonly trashed: string[] = [];

  constructor(dialect: SqlDialect, keys: ChainKeys) {
    this.#dialect = dialect;
    this.claims = new RunClaims(dialect);
    this.#keys = keys;
  }

  get head(): Head {
    return this.#head;
  }

  get touched(): Iterable<EntryState | undefined> {
    return this.#entries.values();
  }

  /** Finds the end of the chain and the entries that will be needed: remembered where somebody remembers them. */
  *open(entryIds: readonly string[], cached: CachedState | undefined): Script<void> {
    this.#head = cached?.head ?? (yield* readHead());
    const unknown: string[] = [];
    for (const id of entryIds) {
      const entry = cached?.entry(id);
      if (entry === undefined) unknown.push(id);
      else this.#entries.set(id, entry);
    }
    yield* this.#load(unknown);
  }

  *#load(ids: readonly string[]): Script<void> {
    if (ids.length === 0) return;
    const rows = yield { sql: selectEntries(this.#dialect), values: [JSON.stringify(ids)] };
    for (const id of ids) this.#entries.set(id, undefined);
    for (const row of rows) this.#entries.set(String(row.entry_id), readEntryState(row));
  }

  /** An entry as it stands in this transaction. */
  *entry(id: string): Script<EntryState | undefined> {
    if (!this.#entries.has(id)) yield* this.#load([id]);
    return this.#entries.get(id);
  }

  /** The same of an entry that was asked for at the beginning. */
  known(id: string): EntryState | undefined {
    return this.#entries.get(id);
  }

  add(entry: EntryState): void {
    this.#entries.set(entry.entryId, entry);
    this.#fresh.add(entry);
  }

  change(entry: EntryState, changes: Partial<EntryState>): void {
    Object.assign(entry, changes);
    if (!this.#fresh.has(entry)) this.#changed.set(entry, { isMore: true });
  }

  /** The same of what a call's end changes, which is less to write. */
  end(entry: EntryState, ending: EntryState["ending"], tool: string, seq: number, at: number): void {
    entry.ending = ending;
    entry.tool = tool;
    entry.closeSeq = seq;
    entry.lastSeq = seq;
    entry.closedAt = at;
    if (!this.#fresh.has(entry) && !this.#changed.has(entry)) this.#changed.set(entry, { isMore: false });
  }

  /** Appends a row to the chain and says which number it got. Where the newest key is new here, a rotation goes first. */
  append(statement: RowContent): number {
    const rotation = rotationBefore(this.#head, this.#keys);
    if (rotation !== undefined) {
      this.#link({ at: statement.at, kind: keyRotated, entryId: null, runId: null, body: rotation });
    }
    return this.#link(statement);
  }

  #link({ at, kind, entryId, runId, body }: RowContent): number {
    const { newest } = this.#keys;
    const keyId = newest?.id ?? null;
    const { seq: last, hash: prev } = this.#head;
    const seq = last + 1;
    const hash = linkHash(prev, { chain: onlyChain, seq, prev, at, kind, entryId, runId, body, keyId });
    const mac = newest?.mac(hash) ?? null;
    this.#records.push([onlyChain, seq, prev, at, kind, entryId, runId, body, hash, mac, keyId]);
    this.#head = { seq, hash, kind, keyId };
    return seq;
  }

  keep(payload: Payload): void {
    this.#payloads.push(payload);
  }

  dropPayloads(entryId: string): void {
    this.#dropped.push(entryId);
  }

  trash(rows: readonly Row[]): void {
    for (const { file } of rows) if (typeof file === "string") this.trashed.push(file);
  }

  *flush(): Script<void> {
    if (this.#records.length > 0) {
      yield { insert: "haft_records", columns: linkColumns, rows: this.#records };
      this.#records = [];
    }
    if (this.#fresh.size > 0) {
      yield { insert: "haft_entries", columns: entryColumns, rows: Array.from(this.#fresh, toEntryRow) };
      this.#fresh.clear();
    }
    if (this.#changed.size > 0) {
      yield* updateEntries(this.#dialect, this.#changed);
      this.#changed.clear();
    }
    yield* this.#flushPayloads();
  }

  *#flushPayloads(): Script<void> {
    if (this.#payloads.length > 0) {
      yield { insert: "haft_payloads", columns: payloadColumns, rows: this.#payloads };
      this.#payloads = [];
    }
    if (this.#dropped.length > 0) {
      const rows = yield {
        sql: `DELETE FROM haft_payloads WHERE entry_id ${this.#dialect.amongTexts} RETURNING file`,
        values: [JSON.stringify(this.#dropped)],
      };
      this.trash(rows);
      this.#dropped = [];
    }
  }
}

const emptyChain: Head = { seq: 0, hash: genesis, kind: "", keyId: null };

const lastRow = {
  sql: "SELECT seq, hash, kind, key_id FROM haft_records ORDER BY seq DESC LIMIT 1",
  values: [],
};

function* readHead(): Script<Head> {
  const [last] = yield lastRow;
  if (last === undefined) return emptyChain;
  const { seq, hash, kind, key_id } = last;
  return { seq: Number(seq), hash: String(hash), kind: String(kind), keyId: key_id as string | null };
}

const texts = new WeakMap<SqlDialect, string>();

/** The same text each time: a database knows it again. */
const selectEntries = (dialect: SqlDialect): string => {
  let text = texts.get(dialect);
  if (text === undefined) {
    text = `SELECT ${entryColumns.join(", ")} FROM haft_entries WHERE entry_id ${dialect.amongTexts}`;
    texts.set(dialect, text);
  }
  return text;
};
