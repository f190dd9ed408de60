import type { LedgerError } from "../../../types/errors.ts";
import { leaseLostError } from "../../ledger-errors.ts";
import type { CheckedStatement, Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";

/** Of one run, or of all that one transaction writes for. */
export const lockRunsQuery = ({ amongTexts, lockRows }: SqlDialect, runIds: readonly string[]): LockQuery =>
  runIds.length === 1
    ? { sql: `SELECT * FROM haft_runs WHERE run_id = ? ${lockRows}`, values: [runIds[0]!] }
    : {
        // In one order everywhere, so that no two transactions wait for each other's rows.
        sql: `SELECT * FROM haft_runs WHERE run_id ${amongTexts} ORDER BY run_id ${lockRows}`,
        values: [JSON.stringify(runIds)],
      };

interface LockQuery {
  readonly sql: string;
  readonly values: readonly string[];
}

/** The same of runs that are remembered as this owner's own: nobody else has claimed one of them. */
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

/**
 * The rows of the runs that one transaction writes for. They are locked when they are read, so that nobody claims one
 * of them between this check and the commit.
 */
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

  /** Runs that this owner holds need no looking at: whether it still does is checked. */
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

  /** A run as it stands in this transaction. */
  get(runId: string): Row | undefined {
    return this.#runs.get(runId);
  }

  /** What this transaction made of a run: those who come later in it go by that. */
  set(runId: string, changes: Row): void {
    this.#runs.set(runId, { ...this.#runs.get(runId), ...changes });
  }

  /** Something of this run was refused in this transaction: what comes behind it is refused too. */
  miss(runId: string, why: LedgerError): void {
    this.#failures.set(runId, why);
  }

  missing(runId: string): LedgerError | undefined {
    return this.#failures.get(runId);
  }

  /** The run, if `epoch` is its newest claim and `owner` still holds it; else it is refused. */
  held(runId: string, epoch: number, owner: string): Row {
    const run = this.#runs.get(runId);
    if (run === undefined || run.epoch !== epoch || run.owner !== owner) throw leaseLostError(runId);
    return run;
  }

  /** The same for what a call came to, which may also be written after its own run has ended. */
  isNewest(runId: string, epoch: number): boolean {
    return this.#runs.get(runId)?.epoch === epoch;
  }
}
