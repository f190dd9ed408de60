import type { Database, Row, Script } from "../database.ts";
import { type Birth, birth, isThere } from "./host.ts";

/** Stores of this thread that are open. Several copies of this package share it. */
const registry = globalThis as { [key: symbol]: Set<string> | undefined };
const place = Symbol.for("haft/ledger-owners");
registry[place] ??= new Set();
const ours: Set<string> = registry[place];

/** Silence that counts as death where there is nothing better to go by. */
const silenceMs = 60_000;

export const ownerColumns = ["owner", "host", "pid", "thread", "born", "heartbeat", "low"];

/** `low`: no entry that this owner has open began before it. */
export function* register(owner: string, at: number): Script<void> {
  const { host, pid, thread, born } = birth();
  const [head] = yield { sql: "SELECT COALESCE(MAX(seq), 0) AS seq FROM haft_records", values: [] };
  const row = [owner, host, pid, thread, born, at, Number(head?.seq ?? 0)];
  yield { insert: "haft_owners", columns: ownerColumns, rows: [row] };
}

export const enlist = (owner: string): void => {
  ours.add(owner);
};
export const discharge = (owner: string): void => {
  ours.delete(owner);
};

/** So many entries are looked through at a beat, so that it stays short under any load. */
const step = 5_000;

/** Says that this owner lives, and moves `low` past what ended meanwhile. */
export function* beat(owner: string, at: number): Script<void> {
  const [mine] = yield { sql: "SELECT low FROM haft_owners WHERE owner = ?", values: [owner] };
  // Somebody took this process for dead. What it opens from now on is its own again.
  if (mine === undefined) {
    yield* register(owner, at);
    return;
  }
  const [seen] = yield {
    sql: `SELECT MAX(open_seq) AS last, MIN(CASE WHEN ending = 'open' AND owner = ? THEN open_seq END) AS open
          FROM (SELECT open_seq, ending, owner FROM haft_entries WHERE open_seq >= ? ORDER BY open_seq LIMIT ${step}) AS e`,
    values: [owner, Number(mine.low)],
  };
  const low = seen?.open ?? seen?.last ?? mine.low ?? 0;
  yield {
    sql: "UPDATE haft_owners SET heartbeat = ?, low = ? WHERE owner = ?",
    values: [at, Number(low), owner],
  };
}

export interface Owner extends Birth {
  readonly owner: string;
  readonly heartbeat: number;
  readonly low: number;
}

export function* others(owner: string): Script<readonly Owner[]> {
  const rows = yield { sql: "SELECT * FROM haft_owners WHERE owner <> ?", values: [owner] };
  return rows.map(toOwner);
}

const toOwner = (row: Row): Owner => ({
  owner: String(row.owner),
  host: String(row.host),
  pid: Number(row.pid),
  thread: Number(row.thread),
  born: String(row.born),
  heartbeat: Number(row.heartbeat),
  low: Number(row.low),
});

export const isDead = async (database: Database, owner: Owner, now: number): Promise<boolean> => {
  const isAlive = (await database.isAlive(owner.owner)) ?? isThere(owner, ours.has(owner.owner));
  return isAlive === undefined ? now - owner.heartbeat > silenceMs : !isAlive;
};
