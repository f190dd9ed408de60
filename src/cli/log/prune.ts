import type { DurableLedger } from "../../words/durable-ledger.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { ask } from "../ledger/open.ts";
import { stamp } from "../ledger/times.ts";
import { Misuse } from "../misuse.ts";
import { toJsonLine } from "../screen.ts";

/** What is dropped is gone, so a person is asked, or says so beforehand. */
export const prune = async (
  ledger: DurableLedger,
  before: number,
  terminal: Terminal,
  { isSure, isJson }: { readonly isSure: boolean; readonly isJson: boolean },
): Promise<number> => {
  const what = `what ended before ${stamp(before)} from ${ledger.place}`;
  if (!isSure && !terminal.isInteractive) throw new Misuse(`Nobody can be asked here: --yes drops ${what}.`);
  if (!isSure) {
    const answer = await terminal.ask(`Drop ${what} for good? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      terminal.error("Nothing was dropped.\n");
      return exitCodes.failed;
    }
  }
  const pruned = await ask(ledger.prune(before));
  const { rows, entries, payloads } = pruned;
  terminal.out(
    isJson ? toJsonLine(pruned) : `Dropped ${entries} entries with ${rows} rows, and ${payloads} payloads.\n`,
  );
  return exitCodes.done;
};
