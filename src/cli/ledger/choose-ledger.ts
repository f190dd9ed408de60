import type { HaftOptions } from "../../runtime/haft-options.ts";
import { defaultLedgerPlace } from "../../types/default-ledger-place.ts";
import type { Terminal } from "../command.ts";
import { painter } from "../screen.ts";

type ChosenLedger = NonNullable<HaftOptions["ledger"]>;

/** What the command line says, then the environment; nothing where neither says anything. */
export const requestedLedger = (
  given: string | undefined,
  { env }: Pick<Terminal, "env">,
): string | undefined => given ?? (env.HAFT_LEDGER || undefined);

/** A command may look twice, and says so once. */
const warnedTerminals = new WeakSet<Terminal["error"]>();

/** Where calls are written down: as the command line says, then the environment, the configuration, the default. */
export const chooseLedger = (
  given: string | undefined,
  configured: HaftOptions["ledger"],
  terminal: Terminal,
): ChosenLedger => {
  const asked = requestedLedger(given, terminal);
  if (asked === undefined) return configured ?? defaultLedgerPlace;
  if (configured !== undefined && configured !== asked && !warnedTerminals.has(terminal.error)) {
    warnedTerminals.add(terminal.error);
    const which = given === undefined ? "HAFT_LEDGER" : "--ledger";
    const note = `The configuration names a ledger of its own; ${which} is used in its place.`;
    terminal.error(`${painter(terminal).dim(note)}\n`);
  }
  return asked;
};

/** A store that the configuration made and nobody uses would keep the process alive. */
export const endUnusedLedger = async (configured: HaftOptions["ledger"], chosen: unknown): Promise<void> => {
  if (typeof configured === "object" && configured !== chosen) await configured.end?.();
};
