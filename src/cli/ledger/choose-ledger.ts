import type { HaftOptions } from "../../runtime/haft-options.ts";
import { defaultLedgerPlace } from "../../types/default-ledger-place.ts";
import type { Terminal } from "../command.ts";
import { painter } from "../screen.ts";

type ChosenLedger = NonNullable<HaftOptions["ledger"]>;

export const requestedLedger = (
  given: string | undefined,
  { env }: Pick<Terminal, "env">,
): string | undefined => given ?? (env.HAFT_LEDGER || undefined);

const warnedTerminals = new WeakSet<Terminal["error"]>();

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
    const note = `The ledger of the configuration is ignored; ${which} is used.`;
    terminal.error(`${painter(terminal).dim(note)}\n`);
  }
  return asked;
};

/** An unused store would keep the process alive. */
export const endUnusedLedger = async (configured: HaftOptions["ledger"], chosen: unknown): Promise<void> => {
  if (typeof configured === "object" && configured !== chosen) await configured.end?.();
};
