import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerEntry, LedgerQuery } from "../../words/ledger.ts";
import type { Terminal } from "../command.ts";
import { ask } from "../ledger/open.ts";
import { painter, table, titled, toJsonLine } from "../screen.ts";
import { entryHead, entryLine } from "./entry-line.ts";
import { beginning, follow } from "./follow.ts";
import { fits } from "./query.ts";

interface Manner {
  readonly isJson: boolean;
  readonly isFollowing: boolean;
}

/** The newest calls, the newest of all last; then those that come, if somebody wants to see them. */
export const listEntries = async (
  ledger: DurableLedger,
  query: LedgerQuery,
  terminal: Terminal,
  { isJson, isFollowing }: Manner,
): Promise<void> => {
  const paint = painter(terminal);
  const after = isFollowing ? await beginning(ledger) : 0;
  const entries = await ask(ledger.entries(query));
  if (isJson) for (const entry of entries) terminal.out(toJsonLine(entry));
  else if (entries.length > 0 || isFollowing) {
    terminal.out(
      titled(
        entryHead,
        entries.map((entry) => entryLine(entry, paint)),
        terminal,
      ),
    );
  } else terminal.error("No calls.\n");
  if (!isFollowing) return;
  await follow(ledger, { after, shown: entries }, terminal, (entry: LedgerEntry) => {
    if (!fits(entry, query)) return;
    terminal.out(isJson ? toJsonLine(entry) : `${table([entryLine(entry, paint)], terminal.width)}\n`);
  });
};
