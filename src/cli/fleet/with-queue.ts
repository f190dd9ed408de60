import { isPostgresUrl, openQueue, type Queue } from "../../fleet/queue.ts";
import type { Option, Terminal } from "../command.ts";
import { chooseLedger, letGo } from "../ledger/choose.ts";
import { bookOptions, configuredLedger, type GivenBook } from "../ledger/open.ts";
import { Misuse } from "../misuse.ts";

export const fleetOptions = {
  ...bookOptions,
  schema: { type: "string", value: "NAME", about: "the schema of the queue; haft_jobs unless given" },
} as const satisfies Readonly<Record<string, Option>>;

export interface GivenFleet extends GivenBook {
  readonly schema?: string;
}

/** Uses the queue of a fleet that is there. Nobody makes one by looking for it. */
export const withQueue = async <A>(
  given: GivenFleet,
  terminal: Terminal,
  use: (queue: Queue) => Promise<A>,
): Promise<A> => {
  const configured = await configuredLedger(given, terminal);
  const place = chooseLedger(given.ledger, configured, terminal);
  await letGo(configured, place);
  if (!isPostgresUrl(place)) {
    throw new Misuse("A fleet has its ledger in PostgreSQL: --ledger postgres://…, or $HAFT_LEDGER.");
  }
  const { schema } = given;
  const queue = await openQueue({ url: place, schema, makesTables: false }).catch((error: unknown) => {
    throw isNotThere(error)
      ? new Error("There is no fleet in this database yet: haft worker and haft.submit make one.")
      : error;
  });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
};

const isNotThere = (error: unknown): boolean =>
  error instanceof Error && /not installed|does not exist/.test(error.message);
