import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Names } from "./shared-store.ts";

interface RunRow {
  readonly run_id: string;
  readonly epoch: number;
  readonly owner: string | null;
  readonly messages: number;
  readonly status: string;
}

interface ChainRow {
  readonly seq: number;
  readonly kind: string;
  readonly entry_id: string | null;
  readonly run_id: string | null;
  readonly body: string;
}

/** The state of the file between two transactions. */
interface Sight {
  readonly runs: ReadonlyMap<string, RunRow>;
  readonly owners: ReadonlySet<string>;
  readonly seq: number;
}

/** Owner, claim and state of an entry. */
interface EntrySight {
  readonly actor: string;
  readonly epoch: number | undefined;
  readonly state: "open" | "pending" | "ended";
}

/** Rows that only the holder of a run may write for it. */
const ofHolder = new Set(["opened", "started", "keyed", "run-handed"]);

const mayGoOn = new Set(["running", "pending", "failed"]);

/** Reads the file over its own connection before and after each transaction, and checks who wrote what. */
export class SqliteAudit {
  readonly wrongWrites: string[] = [];
  readonly #database: DatabaseSync;
  readonly #names: Names;
  /** By actor. An owner that was declared dead and returns keeps its name. */
  readonly #owners: Map<string, string>;
  readonly #entries = new Map<string, EntrySight>();
  #last: Sight | undefined;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, names: Names, owners: Map<string, string>) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#names = names;
    this.#owners = owners;
  }

  /** The state before a transaction, which is that after the previous one. */
  before(): Sight {
    this.#last ??= this.#look();
    return this.#last;
  }

  #look(): Sight {
    const runs = this.#all<RunRow>("SELECT run_id, epoch, owner, messages, status FROM haft_runs");
    const owners = this.#all<{ readonly owner: string }>("SELECT owner FROM haft_owners");
    const [last] = this.#all<{ readonly seq: number | null }>("SELECT max(seq) AS seq FROM haft_records");
    return {
      runs: new Map(runs.map((run) => [run.run_id, run])),
      owners: new Set(owners.map(({ owner }) => owner)),
      seq: last?.seq ?? 0,
    };
  }

  /**
   * Checks a committed transaction of this actor. Returns a summary of its rows in an order independent of
   * random ids.
   */
  see(actor: string, before: Sight): string {
    const after = this.#look();
    this.#last = after;
    const known = new Set(this.#owners.values());
    for (const owner of after.owners) {
      if (!before.owners.has(owner) && !known.has(owner)) this.#owners.set(actor, owner);
    }
    const rows = this.#all<ChainRow>(
      "SELECT seq, kind, entry_id, run_id, body FROM haft_records WHERE seq > ? ORDER BY seq",
      before.seq,
    );
    for (const row of rows) this.#judgeRow(actor, row, before, after, rows);
    for (const run of after.runs.values()) this.#judgeRun(actor, run, before.runs.get(run.run_id));
    return rows
      .map(({ kind, run_id }) => (run_id === null ? kind : `${kind} ${this.#names.run(run_id)}`))
      .toSorted()
      .join(", ");
  }

  /** How often a run ended finally, by the chain. */
  endings(runId: string): number {
    const rows = this.#all<ChainRow>("SELECT * FROM haft_records WHERE kind = 'run-ended'");
    return rows.filter(({ run_id, body }) => {
      const { status } = JSON.parse(body) as { readonly status: string };
      return run_id === runId && status !== "pending" && status !== "failed";
    }).length;
  }

  close(): void {
    this.#database.close();
  }

  #judgeRow(actor: string, row: ChainRow, before: Sight, after: Sight, rows: readonly ChainRow[]): void {
    const { kind, run_id: runId, entry_id: entryId } = row;
    const run = runId === null ? undefined : (before.runs.get(runId) ?? after.runs.get(runId));
    const entry = entryId === null ? undefined : this.#entries.get(entryId);
    if (entryId !== null) this.#follow(actor, row, entryId, run?.epoch);
    if (runId === null || run === undefined) return;
    if (kind === "closed" && entry?.state === "ended") this.#wrong(actor, row, run);
    if (kind === "lost" && entry !== undefined && entry.actor !== actor) {
      // A call of another owner may be closed only if that owner is dead, or together with its run.
      const isWithRun = rows.some((each) => each.run_id === runId && each.kind.startsWith("run-"));
      const isAlive = after.owners.has(this.#owners.get(entry.actor) ?? "");
      if (isAlive && !isWithRun) this.#wrong(actor, row, run);
    }
    const own = this.#owners.get(actor);
    const holders = [before.runs.get(runId)?.owner, after.runs.get(runId)?.owner];
    if (holders.includes(own)) return;
    // An approval may be taken while the run has no holder, but not while another one holds it.
    if (ofHolder.has(kind) || (kind === "used" && run.owner !== null)) this.#wrong(actor, row, run);
    if (kind !== "closed") return;
    // Cancelling a run closes its pending calls.
    if (rows.some((each) => each.kind === "run-ended" && each.run_id === runId)) return;
    const isItsOwn = entry?.actor === actor && entry.epoch === run.epoch;
    // A call that is pending after its run has ended is independent of it: it may expire.
    const isLeft = entry?.state === "pending" && !mayGoOn.has(run.status);
    if (run.owner !== null || !(isItsOwn || isLeft)) this.#wrong(actor, row, run);
  }

  #follow(actor: string, { kind, body }: ChainRow, entryId: string, epoch: number | undefined): void {
    const before = this.#entries.get(entryId);
    if (kind === "opened" || kind === "used") this.#entries.set(entryId, { actor, epoch, state: "open" });
    if (kind === "lost") this.#entries.set(entryId, { actor, epoch, state: "ended" });
    if (kind !== "closed") return;
    const { ending } = JSON.parse(body) as { readonly ending: string };
    const state = ending === "pending" ? "pending" : "ended";
    this.#entries.set(entryId, { actor: before?.actor ?? actor, epoch: before?.epoch, state });
  }

  #judgeRun(actor: string, run: RunRow, before: RunRow | undefined): void {
    if (before === undefined) return;
    const name = this.#names.run(run.run_id);
    if (run.epoch < before.epoch) this.wrongWrites.push(`${actor} set the epoch of ${name} back`);
    if (run.owner !== before.owner && run.owner !== null && run.epoch === before.epoch)
      this.wrongWrites.push(`${actor} took ${name} without a new epoch`);
    const own = this.#owners.get(actor);
    const isAdded = run.messages > before.messages;
    if (isAdded && run.owner !== own && before.owner !== own)
      this.wrongWrites.push(`${actor} wrote messages of ${name}, which it did not hold`);
  }

  #wrong(actor: string, { kind }: ChainRow, { run_id, owner, epoch }: RunRow): void {
    const holder = [...this.#owners].find(([, each]) => each === owner)?.[0] ?? "nobody";
    this.wrongWrites.push(
      `${actor} wrote "${kind}" for ${this.#names.run(run_id)}, which ${holder} held with epoch ${epoch}`,
    );
  }

  #all<Row>(sql: string, ...values: readonly (number | string)[]): readonly Row[] {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(...values) as unknown as readonly Row[];
  }
}
