import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerEntry, LedgerQuery } from "../../words/ledger.ts";
import { sheet } from "../columns.ts";
import type { Terminal } from "../command.ts";
import { ask } from "../ledger/open.ts";
import { painter, toJsonLine } from "../screen.ts";
import { entryLayouts } from "./entry-line.ts";
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
  const after = isFollowing ? await beginning(ledger) : 0;
  const entries = await ask(ledger.entries(query));
  const { head, line } = sheet(entryLayouts(painter(terminal)), entries, terminal);
  const tell = (entry: LedgerEntry): void => terminal.out(isJson ? toJsonLine(entry) : line(entry));
  if (!isJson && (entries.length > 0 || isFollowing)) terminal.out(head);
  else if (!isJson) terminal.error("No calls.\n");
  for (const entry of entries) tell(entry);
  if (!isFollowing) return;
  await follow(ledger, { after, shown: entries }, terminal, (entry) => {
    if (fits(entry, query)) tell(entry);
  });
};
