import pg from "pg";
import { openJobs } from "../../../src/fleet/jobs.ts";
import { openQueue } from "../../../src/fleet/queue.ts";
import { redactor } from "../../../src/json/redact.ts";
import { durableLedger } from "../../../src/ledger/durable/durable-ledger.ts";
import { postgresDatabase } from "../../../src/ledger/postgres.ts";
import type { PostgresPlace } from "./postgres-place.ts";

/** Databases to copy: with a ledger's tables and nothing in them, and with those of a fleet's queue beside them. */
export type TemplateName = "with_tables" | "with_queue";

/** Held by whoever makes a template, so that the others wait for it. */
const lock = 7_202_611;

const known = new Map<string, Promise<string>>();

/** The name of a database to copy. The first test file that needs it makes it. */
export const templateOn = (place: PostgresPlace, name: TemplateName): Promise<string> => {
  const key = `${place.url} ${name}`;
  const found = known.get(key) ?? find(place, name);
  known.set(key, found);
  return found;
};

const find = async (place: PostgresPlace, name: TemplateName): Promise<string> => {
  const base = name === "with_queue" ? await templateOn(place, "with_tables") : undefined;
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_advisory_lock(${lock})`);
    const { rows } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rows.length > 0) return name;
    // Under its name only once it is whole.
    await fill[name](await place.createDatabase(`${name}_in_making`, base));
    await client.query(`ALTER DATABASE ${name}_in_making RENAME TO ${name}`);
    return name;
  } finally {
    await client.end();
  }
};

const fill: Readonly<Record<TemplateName, (url: string) => Promise<void>>> = {
  with_tables: async (url) => {
    const ledger = await durableLedger(await postgresDatabase({ url }), {
      redactor: redactor({}),
      place: url,
    });
    await ledger.end();
  },
  with_queue: async (url) => {
    const queue = await openQueue({ url });
    await openJobs(queue, { shares: {} });
    await queue.close();
  },
};
