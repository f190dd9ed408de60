import type { Reclaimed, ReclaimOptions } from "../durable/database.ts";
import { ask, type Client, letGo, type Postgres, settings } from "./session.ts";

const tables = ["records", "entries", "keys", "payloads", "approvals", "runs", "run_messages"];

/**
 * Lets rows to come use the space of those that were deleted. A plain VACUUM keeps nobody from reading or writing, and
 * whoever owns the tables may do it.
 */
export const reclaim = async (
  postgres: Postgres,
  { isStopped, isLast }: ReclaimOptions,
): Promise<Reclaimed> => {
  if (!isLast) return nothing;
  // It takes as long as the tables are long: nothing else may time out because of that, and it may not either.
  const client = new postgres.pg.Client({ ...settings(postgres), query_timeout: 0 }) as Client;
  // Nobody listening would end the process; whoever asks the client next meets the error anyway.
  client.on("error", () => {});
  try {
    await client.connect();
    for (const table of tables) {
      if (isStopped()) break;
      await ask(client, `VACUUM haft_${table}`);
    }
  } catch {
    // The rows are gone already, and autovacuum comes by in any case.
  } finally {
    letGo(client);
  }
  return nothing;
};

/** It does not say how much it found, and gives none of it to the operating system. */
const nothing: Reclaimed = { freedBytes: 0, unreturnedBytes: 0 };
