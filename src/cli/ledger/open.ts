import * as Effect from "effect/Effect";
import { redactor } from "../../json/redact.ts";
import type { HaftOptions } from "../../runtime/options.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Terminal } from "../command.ts";
import { configOption, readConfiguration } from "../read-configuration.ts";
import { painter } from "../screen.ts";
import { askedPlace, chooseLedger, letGo } from "./choose.ts";
import { isThere, ledgerOption, refuseFolder } from "./place.ts";

/** What every command that only looks into a ledger understands. */
export const bookOptions = { ledger: ledgerOption, config: configOption } as const;

export interface GivenBook {
  readonly ledger?: string;
  readonly config?: string;
}

/** How often it is looked again, in milliseconds. */
export const every = 500;

/** Asks the ledger something. */
export const ask = <A>(question: Effect.Effect<A, LedgerError>): Promise<A> => Effect.runPromise(question);

/**
 * Uses a ledger that is there, and lets go of it. Nobody makes one by looking for it, and whoever only reads changes
 * nothing in it: a role that may select is enough.
 */
export const withLedger = async <A>(
  given: GivenBook,
  terminal: Terminal,
  access: "read" | "write",
  use: (ledger: DurableLedger) => Promise<A>,
): Promise<A> => {
  const configured = await configuredLedger(given, terminal);
  const chosen = chooseLedger(given.ledger, configured, terminal);
  const ledger = await openBook(chosen, access === "read");
  try {
    return await use(ledger);
  } finally {
    await ledger.end();
    await letGo(configured, chosen);
  }
};

/** The same before a runtime is opened, which still needs the store that the configuration made. */
export const withRuntimeLedger = async <A>(
  given: GivenBook,
  terminal: Terminal,
  use: (ledger: DurableLedger) => Promise<A>,
): Promise<A> => {
  const { ledger: configured } = await readConfiguration(given.config);
  const chosen = chooseLedger(given.ledger, configured, terminal);
  const ledger = await openBook(chosen, false);
  try {
    return await use(ledger);
  } finally {
    if (ledger !== chosen) await ledger.end();
  }
};

/** Whoever names a ledger wants to look into it, whatever is wrong with a configuration. */
export const configuredLedger = async (
  given: GivenBook,
  terminal: Terminal,
): Promise<HaftOptions["ledger"]> => {
  const isNamed = askedPlace(given.ledger, terminal) !== undefined && given.config === undefined;
  const reading = readConfiguration(given.config);
  return (isNamed ? await reading.catch(() => ({ ledger: undefined })) : await reading).ledger;
};

/** Waits until there is a ledger to look into. Whether one came before Ctrl-C did. */
export const ledgerComes = async (given: GivenBook, terminal: Terminal): Promise<boolean> => {
  const configured = await configuredLedger(given, terminal);
  const place = chooseLedger(given.ledger, configured, terminal);
  if (typeof place === "object" || place === "memory" || isThere(place)) return true;
  terminal.error(`${painter(terminal).dim(`There is no ledger at ${place} yet; waiting for it.`)}\n`);
  while (!terminal.signal.aborted) {
    await terminal.wait(every);
    if (isThere(place)) return true;
  }
  await letGo(configured, place);
  return false;
};

const openBook = async (place: string | object, readOnly: boolean): Promise<DurableLedger> => {
  if (typeof place === "object") return orRefuse(place);
  if (place === "memory") {
    throw new Error("A ledger in memory ends with its process: there is nothing of it to read.");
  }
  refuseFolder(place);
  if (!isThere(place)) {
    throw new Error(
      `There is no ledger at ${place}. haft run and haft call write one; --ledger names another.`,
    );
  }
  const { openDurableLedger } = await import("../../ledger/open-ledger.ts");
  return openDurableLedger(place, { redactor: redactor({}), readOnly });
};

const orRefuse = (store: object): DurableLedger => {
  if ("verify" in store && "rows" in store) return store as DurableLedger;
  throw new Error("The ledger that the configuration names keeps nothing that could be read here.");
};
