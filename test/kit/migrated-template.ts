import pg from "pg";
import { redactor } from "../../src/json/redact.ts";
import { durableLedger } from "../../src/ledger/durable/durable-ledger.ts";
import { postgresDatabase } from "../../src/ledger/postgres.ts";
import type { PostgresPlace } from "./postgres-place.ts";

const template = "with_tables";

/** Held by whoever makes the template, so that the others wait for it. */
const lock = 7_202_611;

const known = new Map<string, Promise<string>>();

/** The name of a database with a ledger's tables and nothing in them. The first test file that needs it makes it. */
export const migratedTemplate = (place: PostgresPlace): Promise<string> => {
  const found = known.get(place.url) ?? make(place);
  known.set(place.url, found);
  return found;
};

const make = async (place: PostgresPlace): Promise<string> => {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${lock})`);
    const { rows } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [template]);
    if (rows.length > 0) return template;
    // Under its name only once it is whole: whoever was killed on the way leaves another.
    const url = await place.createDatabase(`${template}_in_making`);
    const ledger = await durableLedger(await postgresDatabase({ url }), {
      redactor: redactor({}),
      place: url,
    });
    await ledger.end();
    await client.query(`ALTER DATABASE ${template}_in_making RENAME TO ${template}`);
    return template;
  } finally {
    await client.end();
  }
};
