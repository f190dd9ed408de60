import pg from "pg";
import { redactor } from "../../../src/base/json/redact.ts";
import { openQueue } from "../../../src/fleet/open-queue.ts";
import { openRunJobs } from "../../../src/fleet/run-jobs.ts";
import { createDurableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { openPostgresDatabase } from "../../../src/ledger/postgres-database.ts";
import type { PostgresTestServer } from "./postgres-test-server.ts";

/** Template databases: with empty ledger tables, and with those of a fleet queue too. */
export type TemplateName = "with_tables" | "with_queue";

/** Advisory lock of the process that creates a template; the others wait for it. */
const templateLockId = 7_202_611;

const templatesByKey = new Map<string, Promise<string>>();

/** The name of a template database. The first test file that needs it creates it. */
export const databaseTemplate = (place: PostgresTestServer, name: TemplateName): Promise<string> => {
  const key = `${place.url} ${name}`;
  const found = templatesByKey.get(key) ?? findOrCreateTemplate(place, name);
  templatesByKey.set(key, found);
  return found;
};

const findOrCreateTemplate = async (place: PostgresTestServer, name: TemplateName): Promise<string> => {
  const base = name === "with_queue" ? await databaseTemplate(place, "with_tables") : undefined;
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${templateLockId})`);
    const { rows } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rows.length > 0) return name;
    // Renamed when it is complete.
    await fillTemplate[name](await place.createDatabase(`${name}_in_making`, base));
    await client.query(`ALTER DATABASE ${name}_in_making RENAME TO ${name}`);
    return name;
  } finally {
    await client.end();
  }
};

const fillTemplate: Readonly<Record<TemplateName, (url: string) => Promise<void>>> = {
  with_tables: async (url) => {
    const ledger = await createDurableLedger(await openPostgresDatabase({ url }), {
      redactor: redactor({}),
      place: url,
    });
    await ledger.end();
  },
  with_queue: async (url) => {
    const queue = await openQueue({ url });
    await openRunJobs(queue, { shares: {} });
    await queue.close();
  },
};
