import type { LedgerError } from "../../../types/errors.ts";
import { leaseLostError } from "../../ledger-errors.ts";
import type { CheckedStatement, Row, Script, SqlValue } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { messageColumns, runColumns } from "./run-row.ts";

const mutableColumns = {
  agent: "text",
  status: "text",
  reason: "text",
  turns: "integer",
  usage: "text",
  updated_at: "double precision",
  owner: "text",
  epoch: "bigint",
  messages: "integer",
  last_seq: "bigint",
  digest: "text",
} as const;

const mutableColumnNames = Object.keys(mutableColumns);
const updateOneSql = `UPDATE haft_runs SET ${mutableColumnNames.map((name) => `${name} = ?`).join(", ")} WHERE run_id = ?`;
/** Named twice to force index lookups; the join alone may scan the table. */
const updateManySql = ({ amongTexts }: SqlDialect): string =>
  `UPDATE haft_runs AS h SET ${mutableColumnNames.map((name) => `${name} = v.${name}`).join(", ")}
  FROM json_to_recordset(CAST(? AS json)) AS v(run_id text, ${Object.entries(mutableColumns)
    .map((column) => column.join(" "))
    .join(", ")}) WHERE h.run_id ${amongTexts} AND h.run_id = v.run_id`;

/** PostgreSQL cannot read these from JSON. */
const jsonUnsafeText = /[\0\ud800-\udfff]/;

const lockRunsQuery = ({ amongTexts, lockRows }: SqlDialect, runIds: readonly string[]): LockQuery =>
  runIds.length === 1
    ? { sql: `SELECT * FROM haft_runs WHERE run_id = ? ${lockRows}`, values: [runIds[0]!] }
    : {
        // A fixed order prevents deadlocks.
        sql: `SELECT * FROM haft_runs WHERE run_id ${amongTexts} ORDER BY run_id ${lockRows}`,
        values: [JSON.stringify(runIds)],
      };

interface LockQuery {
  readonly sql: string;
  readonly values: readonly string[];
}

/** Cached leases may have been lost. */
const checkLeasesQuery = (
  { amongTexts }: SqlDialect,
  owner: string,
  runs: readonly Row[],
): CheckedStatement => {
  const [run] = runs;
  if (runs.length === 1 && run !== undefined) {
    return {
      check: "SELECT 1 FROM haft_runs WHERE run_id = ? AND epoch = ? AND owner = ? FOR NO KEY UPDATE",
      values: [run.run_id ?? null, run.epoch ?? null, owner],
      rows: 1,
    };
  }
  const claims = runs.map(({ run_id, epoch }) => ({ run_id, epoch }));
  return {
    check: `SELECT 1 FROM haft_runs AS h JOIN json_to_recordset(CAST(? AS json)) AS v(run_id text, epoch bigint)
              ON h.run_id = v.run_id AND h.epoch = v.epoch WHERE h.run_id ${amongTexts} AND h.owner = ?
            ORDER BY h.run_id FOR NO KEY UPDATE OF h`,
    values: [JSON.stringify(claims), JSON.stringify(runs.map(({ run_id }) => run_id)), owner],
    rows: runs.length,
  };
};

/** Rows are locked on read, so that no other process claims the runs before the commit. */
export class RunLeases {
  readonly #dialect: SqlDialect;
  readonly #owner: string;
  readonly #runs = new Map<string, Row | undefined>();
  readonly #failures = new Map<string, LedgerError>();
  #cachedRun: (runId: string) => Row | undefined = () => undefined;

  constructor(dialect: SqlDialect, owner: string) {
    this.#dialect = dialect;
    this.#owner = owner;
  }

  /** Their leases are still checked. */
  remember(run: (runId: string) => Row | undefined): void {
    this.#cachedRun = run;
  }

  get touched(): Iterable<readonly [runId: string, run: Row | undefined]> {
    return this.#runs;
  }

  isOwn(run: Row | undefined): run is Row {
    return run?.owner === this.#owner;
  }

  *lock(runIds: Iterable<string>): Script<void> {
    const unknown = new Set<string>();
    const remembered = new Map<string, Row>();
    for (const runId of runIds) {
      if (this.#runs.has(runId)) continue;
      const run = this.#cachedRun(runId);
      if (run === undefined) unknown.add(runId);
      else remembered.set(runId, run);
    }
    if (remembered.size > 0) yield checkLeasesQuery(this.#dialect, this.#owner, [...remembered.values()]);
    for (const [runId, run] of remembered) this.#runs.set(runId, run);
    if (unknown.size === 0) return;
    const rows = yield lockRunsQuery(this.#dialect, [...unknown]);
    for (const runId of unknown) this.#runs.set(runId, undefined);
    for (const row of rows) this.#runs.set(String(row.run_id), row);
  }

  get(runId: string): Row | undefined {
    return this.#runs.get(runId);
  }

  set(runId: string, changes: Row): void {
    this.#runs.set(runId, { ...this.#runs.get(runId), ...changes });
  }

  /** Later writes for the run in this transaction are refused too. */
  miss(runId: string, why: LedgerError): void {
    this.#failures.set(runId, why);
  }

  missing(runId: string): LedgerError | undefined {
    return this.#failures.get(runId);
  }

  /** Throws unless this owner holds the newest lease. */
  held(runId: string, epoch: number, owner: string): Row {
    const run = this.#runs.get(runId);
    if (run === undefined || run.epoch !== epoch || run.owner !== owner) throw leaseLostError(runId);
    return run;
  }

  /** A call's outcome may be written even after its run has ended. */
  isNewest(runId: string, epoch: number): boolean {
    return this.#runs.get(runId)?.epoch === epoch;
  }
}

/** Collected and written at the end of the transaction in a few statements. */
export class RunWrites {
  readonly #dialect: SqlDialect;
  readonly #leases: RunLeases;
  readonly #newRuns = new Set<string>();
  readonly #changedRuns = new Set<string>();
  #messages: SqlValue[][] = [];
  #droppedTexts: string[] = [];
  #droppedMessages: string[] = [];

  constructor(dialect: SqlDialect, claims: RunLeases) {
    this.#dialect = dialect;
    this.#leases = claims;
  }

  begin(runId: string, row: Row): void {
    this.#leases.set(runId, row);
    this.#newRuns.add(runId);
  }

  change(runId: string, changes: Row): void {
    this.#leases.set(runId, changes);
    if (!this.#newRuns.has(runId)) this.#changedRuns.add(runId);
  }

  addMessages(rows: readonly SqlValue[][]): void {
    this.#messages.push(...rows);
  }

  /** Except texts that something else needs. */
  dropTextsOf(runId: string, isConversationKept: boolean): void {
    this.#droppedTexts.push(runId);
    if (!isConversationKept) this.#droppedMessages.push(runId);
  }

  *flush(): Script<void> {
    if (this.#newRuns.size > 0) {
      const rows = this.#rowsOf(this.#newRuns).map((row) => runColumns.map((name) => row[name] ?? null));
      yield { insert: "haft_runs", columns: runColumns, rows };
      this.#newRuns.clear();
    }
    if (this.#changedRuns.size > 0) {
      yield* this.#update(this.#rowsOf(this.#changedRuns));
      this.#changedRuns.clear();
    }
    if (this.#messages.length > 0) {
      yield { insert: "haft_run_messages", columns: messageColumns, rows: this.#messages };
      this.#messages = [];
    }
  }

  /** Last, so that texts stored in this transaction are dropped too. */
  *dropTexts(): Script<void> {
    const { amongTexts } = this.#dialect;
    if (this.#droppedTexts.length > 0) {
      yield {
        post: `DELETE FROM haft_payloads AS p WHERE p.run_id ${amongTexts}
                 AND NOT EXISTS (SELECT 1 FROM haft_keys k WHERE k.entry_id = p.entry_id)
                 AND NOT EXISTS (SELECT 1 FROM haft_entries e WHERE e.entry_id = p.entry_id AND e.ending = 'pending')`,
        values: [JSON.stringify(this.#droppedTexts)],
      };
      this.#droppedTexts = [];
    }
    if (this.#droppedMessages.length > 0) {
      yield {
        post: `DELETE FROM haft_run_messages WHERE run_id ${amongTexts}`,
        values: [JSON.stringify(this.#droppedMessages)],
      };
      this.#droppedMessages = [];
    }
  }

  #rowsOf(runIds: ReadonlySet<string>): readonly Row[] {
    return Array.from(runIds, (runId) => this.#leases.get(runId) ?? {});
  }

  *#update(rows: readonly Row[]): Script<void> {
    const isPlain = (row: Row): boolean =>
      !Object.values(row).some((value) => typeof value === "string" && jsonUnsafeText.test(value));
    const together = this.#dialect.bulkUpdates ? rows.filter(isPlain) : [];
    const alone = rows.filter((row) => !together.includes(row));
    if (together.length > 0) {
      const runIds = together.map(({ run_id }) => run_id);
      yield {
        post: updateManySql(this.#dialect),
        values: [JSON.stringify(together), JSON.stringify(runIds)],
      };
    }
    for (const row of alone) {
      yield {
        post: updateOneSql,
        values: [...mutableColumnNames.map((name) => row[name] ?? null), row.run_id ?? null],
      };
    }
  }
}
