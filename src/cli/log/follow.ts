import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerEntry } from "../../words/ledger.ts";
import type { Terminal } from "../command.ts";
import { ask, every } from "../ledger/open.ts";

const page = 1_000;
const remembered = 10_000;
const ends: ReadonlySet<string> = new Set(["closed", "lost"]);

/** Where following begins. Asked before anything is listed, or what ends in between is missed. */
export const beginning = async (ledger: DurableLedger): Promise<number> => {
  const [newest] = await ask(ledger.entries({ limit: 1 }));
  if (newest === undefined) return 0;
  return (await ask(ledger.rows({ entryId: newest.entryId }))).at(-1)?.seq ?? 0;
};

/** Tells each entry as it ends, in the order of the chain, until Ctrl-C. What was shown before is not told again. */
export const follow = async (
  ledger: DurableLedger,
  { after, shown }: { readonly after: number; readonly shown: readonly LedgerEntry[] },
  terminal: Terminal,
  tell: (entry: LedgerEntry) => void,
): Promise<void> => {
  const told = new Map(shown.map(({ entryId, ending }) => [entryId, ending]));
  let last = after;
  while (!terminal.signal.aborted) {
    const rows = await ask(ledger.rows({ after: last, limit: page }));
    const ended = new Set(rows.flatMap(({ kind, entryId }) => (ends.has(kind) && entryId ? [entryId] : [])));
    for (const entryId of ended) {
      const [entry] = await ask(ledger.entries({ entryId }));
      if (entry === undefined || told.get(entryId) === entry.ending) continue;
      told.set(entryId, entry.ending);
      tell(entry);
    }
    for (const entryId of told.keys()) if (told.size > remembered) told.delete(entryId);
    last = rows.at(-1)?.seq ?? last;
    if (rows.length < page) await terminal.wait(every);
  }
};
