import { LedgerError } from "../../types/errors.ts";
import { StaleCacheError } from "../durable/database.ts";

interface PgError {
  readonly code?: string;
  readonly message?: string;
  readonly severity?: string;
  readonly routine?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/** A failed check divides by zero. */
export const divisionByZero = "22012";
const uniqueViolation = "23505";
/** A month's partition is closed or gone. */
const checkViolation = "23514";

/** Not for errors that a script throws. */
export class PostgresError extends Error {
  readonly why: PgError;

  constructor(why: unknown) {
    super("PostgreSQL error");
    this.why = (why ?? {}) as PgError;
  }

  /** The transaction is rolled back. */
  get isRefusal(): boolean {
    return this.why.severity === "ERROR";
  }

  get isPassing(): boolean {
    const { code = "", severity } = this.why;
    // Deadlock, serialization failure, or a stale prepared plan.
    if (code === "40001" || code === "40P01" || this.why.routine === "RevalidateCachedQuery") return true;
    if (severity === "ERROR") return false;
    // Without a severity it is a socket error.
    return severity === undefined || this.isStarting || /^(08|57P|25P0[34])/.test(code);
  }

  /** Read again and retry. */
  get isStale(): boolean {
    const { code = "" } = this.why;
    return [divisionByZero, uniqueViolation, checkViolation].includes(code);
  }

  /** Does not accept connections yet. */
  get isStarting(): boolean {
    return this.why.code === "57P03" || this.why.code === "53300";
  }
}

const changedMeanwhile = "another process repeatedly changed the same rows at the same time";

/** Never contain the url, which may hold a password. */
const errorHints: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens at this address. Start PostgreSQL, or correct host and port in the url",
  ENOTFOUND: "the host name is unknown. Correct the host in the url",
  EAI_AGAIN: "the host name cannot be resolved now",
  ETIMEDOUT: "it does not answer. Check network and firewall",
  EHOSTUNREACH: "the host cannot be reached. Check network and firewall",
  "28P01": "the password is wrong for this user. Correct it in the url",
  "28000": "this user may not log in from this machine. Check pg_hba.conf, or the user in the url",
  "3D000": "the database does not exist. Create it (CREATE DATABASE …), or correct the name in the url",
  "53100": "the server's disk is full. Free disk space; nothing was written",
  "53200": "the server is out of memory; nothing was written",
  "53300": "the server has too many connections already. Raise max_connections, or close some",
  "55P03": "another process holds the ledger's lock for too long. Look for it in pg_stat_activity",
  "57014": "the server canceled the statement. Raise its statement_timeout",
  "57P01": "the server was shut down",
  "57P02": "the server crashed",
  "57P03": "the server is starting up or shutting down",
  "22012": changedMeanwhile,
  "25006": "the server is read-only, like a standby. Use the primary in the url",
};

/** The message names a schema or table, never a value. */
const forbiddenMessage = (message: string): string =>
  `the user lacks a permission: ${message} (42501). Tables are created and migrated by haft ledger migrate, run by a ` +
  "role with GRANT CREATE on the schema; the guide audit-log.md lists the grants of each role";

/** SQLSTATE classes: cardinality, data, constraints, limits. */
const valueErrorPattern = /^(21|22|23|54)/;

const describePostgresError = (why: PgError): string => {
  const { code = "", message = "" } = why;
  if (code === "42501") return forbiddenMessage(message);
  const known = errorHints[code];
  if (known !== undefined) return `${known} (${code})`;
  if (message.includes("password must be a string")) return "it requires a password, and the url has none";
  if (/timeout/i.test(message)) return "it does not answer in time";
  if (/terminated|not queryable|ECONNRESET|EPIPE/.test(message)) return "the connection was lost";
  if (why.severity === undefined) return message;
  // The message may quote values.
  const place = [why.table, why.column, why.constraint].filter((name) => name !== undefined).join(", ");
  if (valueErrorPattern.test(code))
    return `it refuses a value (SQLSTATE ${code}${place === "" ? "" : `; ${place}`})`;
  return `${message} (SQLSTATE ${code})`;
};

const valueErrors = new WeakSet<LedgerError>();

export const isPostgresValueError = (error: unknown): boolean =>
  error instanceof LedgerError && valueErrors.has(error);

/** `isCommitUnknown`: the result of a sent COMMIT is unknown. */
export const toPostgresLedgerError = (error: unknown, place: string, isCommitUnknown = false): unknown => {
  if (!(error instanceof PostgresError)) return error;
  const commitNote = isCommitUnknown ? " Whether the last write was stored is unknown." : "";
  const said = `PostgreSQL at ${place}: ${describePostgresError(error.why)}.${commitNote}`;
  const failure =
    error.isStale && !isCommitUnknown
      ? new StaleCacheError(said)
      : new LedgerError("ledger_unavailable", said);
  if (valueErrorPattern.test(error.why.code ?? "")) valueErrors.add(failure);
  return failure;
};

interface Retrier {
  readonly keepTrying: <A>(attempt: () => Promise<A>) => Promise<A>;
}

const maxPauseMs = 250;

/**
 * The time counts from the request or the last success of any attempt, so that queued work does not wait for
 * it again.
 */
export const createRetrier = (retryForMs: number): Retrier => {
  let lastSuccessAt = Number.NEGATIVE_INFINITY;
  return {
    keepTrying: async (attempt) => {
      const asked = performance.now();
      for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
        try {
          const result = await attempt();
          lastSuccessAt = performance.now();
          return result;
        } catch (error) {
          const left = Math.max(asked, lastSuccessAt) + retryForMs - performance.now();
          if (!(error instanceof PostgresError) || !error.isPassing || left <= 0) throw error;
          await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, left)));
        }
      }
    },
  };
};
