import type { Database } from "../durable/database.ts";
import { PostgresError, toPostgresLedgerError } from "./errors.ts";
import {
  clientSettings,
  closeClient,
  ignoreConnectionErrors,
  type Postgres,
  type PostgresClient,
  runQuery,
} from "./session.ts";

const lockNotAvailable = "55P03";
const insufficientPrivilege = "42501";

/** A separate connection with a short lock timeout, because all statements queue behind a waiting lock. */
export const createAlter =
  (postgres: Postgres): NonNullable<Database["alter"]> =>
  async (statement, patienceMs) => {
    // Some statements need a session.
    if (postgres.isPooled) return "forbidden";
    const given = { ...clientSettings(postgres), lock_timeout: patienceMs, query_timeout: 0 };
    const client = ignoreConnectionErrors(new postgres.pg.Client(given) as PostgresClient);
    try {
      await client.connect();
      await runQuery(client, statement);
      return "done";
    } catch (error) {
      const trouble = error instanceof PostgresError ? error : new PostgresError(error);
      if (trouble.why.code === lockNotAvailable) return "busy";
      if (trouble.why.code === insufficientPrivilege) return "forbidden";
      throw toPostgresLedgerError(trouble, postgres.place);
    } finally {
      closeClient(client);
    }
  };
