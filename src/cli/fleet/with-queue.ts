import { isPostgresUrl, openQueue, type Queue } from "../../fleet/open-queue.ts";
import { CommandUsageError, type Option, type Terminal } from "../command.ts";
import { chooseLedger, endUnusedLedger } from "../ledger/known-ledgers.ts";
import { configuredLedger, type LedgerFlags, ledgerOptions } from "../ledger/with-ledger.ts";

export const fleetOptions = {
  ...ledgerOptions,
  schema: { type: "string", value: "NAME", about: "the schema of the queue; default haft_jobs" },
} as const satisfies Readonly<Record<string, Option>>;

export interface FleetFlags extends LedgerFlags {
  readonly schema?: string;
}

/** Creates no tables. */
export const withQueue = async <A>(
  flags: FleetFlags,
  terminal: Terminal,
  use: (queue: Queue) => Promise<A>,
): Promise<A> => {
  const configured = await configuredLedger(flags, terminal);
  const place = chooseLedger(flags.ledger, configured, terminal);
  await endUnusedLedger(configured, place);
  if (!isPostgresUrl(place)) {
    throw new CommandUsageError(
      "A fleet requires a PostgreSQL ledger: --ledger postgres://… or $HAFT_LEDGER.",
    );
  }
  const { schema } = flags;
  const queue = await openQueue({ url: place, schema, makesTables: false }).catch((error: unknown) => {
    throw isMissingFleet(error)
      ? new Error("This database has no fleet yet. haft worker and haft.submit create it.")
      : error;
  });
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
};

const isMissingFleet = (error: unknown): boolean =>
  error instanceof Error && /not installed|does not exist/.test(error.message);
