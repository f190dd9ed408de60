import { claimLost } from "../../refusals.ts";
import type { Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";

/** Of one run, or of all that one transaction writes for. */
export const lockRuns = ({ amongTexts, lockRows }: SqlDialect, runIds: readonly string[]): LockQuery =>
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

/**
 * The rows of the runs that one transaction writes for. They are locked when they are read, so that nobody claims one
 * of them between this check and the commit.
 */
export class RunClaims {
  readonly #dialect: SqlDialect;
  readonly #runs = new Map<string, Row | undefined>();

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  *lock(runIds: Iterable<string>): Script<void> {
    const unknown = new Set<string>();
    for (const runId of runIds) if (!this.#runs.has(runId)) unknown.add(runId);
    if (unknown.size === 0) return;
    const rows = yield lockRuns(this.#dialect, [...unknown]);
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

  /** The run, if `epoch` is its newest claim and `owner` still holds it; else it is refused. */
  held(runId: string, epoch: number, owner: string): Row {
    const run = this.#runs.get(runId);
    if (run === undefined || run.epoch !== epoch || run.owner !== owner) throw claimLost(runId);
    return run;
  }

  /** The same for what a call came to, which may also be written after its own run has ended. */
  isNewest(runId: string, epoch: number): boolean {
    return this.#runs.get(runId)?.epoch === epoch;
  }
}
