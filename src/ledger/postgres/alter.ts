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

/**
 * Changes a table on a connection of its own, so that whoever writes does not wait for it in line. Behind whoever waits
 * for a table's lock everybody else waits too: so it is waited for shortly, and asked for again later.
 */
export const createAlter =
  (postgres: Postgres): NonNullable<Database["alter"]> =>
  async (statement, patienceMs) => {
    // A pool gives no connection of one's own, on which alone some of these can be said.
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
