import * as Effect from "effect/Effect";
import { redactor } from "../../json/redact.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Terminal } from "../command.ts";
import { configOption, readConfiguration } from "../read-configuration.ts";
import { isThere, ledgerOption, placeOf } from "./place.ts";

/** What every command that only looks into a ledger understands. */
export const bookOptions = { ledger: ledgerOption, config: configOption } as const;

export interface GivenBook {
  readonly ledger?: string;
  readonly config?: string;
}

/** Asks the ledger something. */
export const ask = <A>(question: Effect.Effect<A, LedgerError>): Promise<A> => Effect.runPromise(question);

/**
 * Uses a ledger that is there, and lets go of it. Nobody makes one by looking for it. What was asked for here goes
 * before the configuration; a store that the configuration holds is used as it is.
 */
export const withLedger = async <A>(
  given: GivenBook,
  terminal: Terminal,
  use: (ledger: DurableLedger) => Promise<A>,
): Promise<A> => {
  const configured = given.ledger === undefined ? (await readConfiguration(given.config)).ledger : undefined;
  const ledger = await openBook(configured ?? placeOf(given.ledger, terminal));
  try {
    return await use(ledger);
  } finally {
    await ledger.end();
  }
};

/** The same before a runtime is opened, which writes where the configuration says and still needs its store. */
export const withRuntimeLedger = async <A>(
  given: GivenBook,
  terminal: Terminal,
  use: (ledger: DurableLedger) => Promise<A>,
): Promise<A> => {
  const { ledger: configured } = await readConfiguration(given.config);
  if (typeof configured === "object") return use(orRefuse(configured));
  return withLedger(configured === undefined ? given : { ledger: configured }, terminal, use);
};

const openBook = async (place: string | object): Promise<DurableLedger> => {
  if (typeof place === "object") return orRefuse(place);
  if (place === "memory") {
    throw new Error("A ledger in memory ends with its process: there is nothing of it to read.");
  }
  if (!isThere(place)) {
    throw new Error(
      `There is no ledger at ${place}. haft run and haft call write one; --ledger names another.`,
    );
  }
  const { openLedger } = await import("../../ledger/open-ledger.ts");
  return openLedger(place, { redactor: redactor({}) });
};

const orRefuse = (store: object): DurableLedger => {
  if ("verify" in store && "rows" in store) return store as DurableLedger;
  throw new Error("The ledger that the configuration names keeps nothing that could be read here.");
};
