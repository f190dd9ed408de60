import { basename, dirname } from "node:path";
import * as Effect from "effect/Effect";
import { redactor } from "../../base/json/redact.ts";
import type { HaftOptions } from "../../runtime/haft-options.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { Terminal } from "../command.ts";
import {
  configOption,
  configurationFile,
  readConfiguration,
  readDataConfiguration,
} from "../read-configuration.ts";
import { painter } from "../screen.ts";
import { createTrust, type Trust, type TrustFlags, trustOption } from "../trust/trust.ts";
import {
  chooseLedger,
  endUnusedLedger,
  leadsInside,
  ledgerExists,
  ledgerOption,
  requestedLedger,
  requireLedgerFile,
  requireTrustedLedger,
} from "./known-ledgers.ts";

export const ledgerOptions = { ledger: ledgerOption, config: configOption, trust: trustOption } as const;

export interface LedgerFlags extends TrustFlags {
  readonly ledger?: string;
  readonly config?: string;
}

export const ledgerPollMs = 500;

export const queryLedger = <A>(question: Effect.Effect<A, LedgerError>): Promise<A> =>
  Effect.runPromise(question);

/** Uses an existing ledger, and closes it. Read access needs only the right to select. */
export const withLedger = async <A>(
  flags: LedgerFlags,
  terminal: Terminal,
  access: "read" | "write",
  use: (ledger: DurableLedger) => Promise<A>,
): Promise<A> => {
  const configured = await configuredLedger(flags, terminal);
  const chosen = chooseLedger(flags.ledger, configured, terminal);
  await requireTrustedLedger({
    place: chosen,
    given: flags,
    access,
    trust: createTrust(flags, terminal),
    terminal,
  });
  const ledger = await openExistingLedger(chosen, access === "read");
  try {
    return await use(ledger);
  } finally {
    await ledger.end();
    await endUnusedLedger(configured, chosen);
  }
};

export const withRuntimeLedger = async <A>(
  flags: LedgerFlags,
  terminal: Terminal,
  use: (ledger: DurableLedger) => Promise<A>,
): Promise<A> => {
  const trust = createTrust(flags, terminal);
  const { ledger: configured } = await readConfiguration(flags.config, trust);
  const chosen = chooseLedger(flags.ledger, configured, terminal);
  await requireTrustedLedger({ place: chosen, given: flags, access: "write", trust, terminal });
  const ledger = await openExistingLedger(chosen, false);
  try {
    return await use(ledger);
  } finally {
    if (ledger !== chosen) await ledger.end();
  }
};

/** Runs no code of an untrusted folder. Ignores configuration errors if the command line names a ledger. */
export const configuredLedger = async (
  flags: LedgerFlags,
  terminal: Terminal,
): Promise<HaftOptions["ledger"]> => {
  const isNamed = requestedLedger(flags.ledger, terminal) !== undefined && flags.config === undefined;
  const trust = createTrust(flags, terminal);
  const reading = readDataConfiguration(flags.config, trust, terminal);
  if (isNamed) return (await reading.catch(() => ({ ledger: undefined }))).ledger;
  const { ledger } = await reading;
  await requireOwnLedger(ledger, flags.config, trust);
  return ledger;
};

/**
 * The configuration of an untrusted folder may only name a SQLite file in that folder: a connection would
 * send the user's PostgreSQL password.
 */
const requireOwnLedger = async (
  ledger: HaftOptions["ledger"],
  config: string | undefined,
  trust: Trust,
): Promise<void> => {
  const found = configurationFile(config);
  if (typeof ledger !== "string" || ledger === "memory" || found === undefined) return;
  const folder = dirname(found);
  if (ledger.startsWith("sqlite:") && leadsInside(ledger.slice("sqlite:".length), folder)) return;
  await trust.requireFolder(folder, [basename(found)]);
};

export const waitForLedger = async (flags: LedgerFlags, terminal: Terminal): Promise<boolean> => {
  const configured = await configuredLedger(flags, terminal);
  const place = chooseLedger(flags.ledger, configured, terminal);
  if (typeof place === "object" || place === "memory" || ledgerExists(place)) return true;
  terminal.error(`${painter(terminal).dim(`${place} does not exist yet; waiting for it.`)}\n`);
  while (!terminal.signal.aborted) {
    await terminal.wait(ledgerPollMs);
    if (ledgerExists(place)) return true;
  }
  await endUnusedLedger(configured, place);
  return false;
};

const openExistingLedger = async (place: string | object, readOnly: boolean): Promise<DurableLedger> => {
  if (typeof place === "object") return requireDurableLedger(place);
  if (place === "memory") {
    throw new Error("A ledger in memory exists only in its process, so another process cannot read it.");
  }
  requireLedgerFile(place);
  if (!ledgerExists(place)) {
    throw new Error(
      `${place} does not exist. haft run and haft call create a ledger; choose another with --ledger.`,
    );
  }
  const { openDurableLedger } = await import("../../ledger/open-durable-ledger.ts");
  return openDurableLedger(place, { redactor: redactor({}), readOnly });
};

const requireDurableLedger = (store: object): DurableLedger => {
  if ("verify" in store && "rows" in store) return store as DurableLedger;
  throw new Error("The ledger of the configuration stores no data that this command can read.");
};
