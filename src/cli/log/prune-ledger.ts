import type { DurableLedger, LedgerProgress, PruneResult } from "../../types/durable-ledger.ts";
import { CommandUsageError, exitCodes, type Terminal } from "../command.ts";
import { formatTime } from "../ledger/short-id.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { progressBar, toJsonLine } from "../screen.ts";

export interface PruneFlags {
  readonly isSure: boolean;
  readonly isJson: boolean;
  readonly rewrite: boolean;
}

/** Ctrl-C leaves the ledger consistent. */
export const pruneLedger = async (
  ledger: DurableLedger,
  before: number,
  terminal: Terminal,
  { isSure, isJson, rewrite }: PruneFlags,
): Promise<number> => {
  const what = `entries that ended before ${formatTime(before)} from ${ledger.place}`;
  if (!isSure && !terminal.isInteractive)
    throw new CommandUsageError(`Confirmation requires a terminal. Use --yes to delete ${what}.`);
  if (!isSure) {
    const answer = await terminal.ask(`Permanently delete ${what}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? "")) {
      terminal.error("Nothing was deleted.\n");
      return exitCodes.failed;
    }
  }
  const bar = progressBar(terminal, isJson);
  const { signal } = terminal;
  const onProgress = ({ done, total }: LedgerProgress): void => bar.show({ done, total, etaMs: undefined });
  const pruned = await queryLedger(ledger.prune(before, { signal, rewrite, onProgress }));
  bar.end();
  terminal.out(isJson ? toJsonLine(pruned) : pruneResultText(pruned));
  return pruned.isComplete ? exitCodes.done : exitCodes.failed;
};

const pruneResultText = ({
  rows,
  entries,
  payloads,
  isComplete,
  freedBytes,
  unreturnedBytes,
}: PruneResult): string => {
  const lines = [`Dropped ${entries} entries with ${rows} rows, and ${payloads} payloads.`];
  if (freedBytes > 0) lines.push(`The file is ${formatMegabytes(freedBytes)} shorter.`);
  if (unreturnedBytes > 0) {
    lines.push(
      `${formatMegabytes(unreturnedBytes)} in it are empty and will be used again; --rewrite makes the file shorter, ` +
        "and other processes cannot write during that time.",
    );
  }
  if (!isComplete)
    lines.push("Pruning was stopped before it finished. Run the same command again to continue.");
  return `${lines.join("\n")}\n`;
};

const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
