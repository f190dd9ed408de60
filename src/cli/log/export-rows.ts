import { open, rename, rm } from "node:fs/promises";
import type { ChainRow, DurableLedger } from "../../types/durable-ledger.ts";
import type { Terminal } from "../command.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { toJsonLine } from "../screen.ts";

const exportPageSize = 1_000;

/** The file appears only when it is complete. */
export const exportRows = async (
  ledger: DurableLedger,
  file: string,
  terminal: Terminal,
): Promise<number> => {
  if (file === "-") return forEachPage(ledger, terminal, async (text) => terminal.out(text));
  const draft = `${file}.new`;
  const handle = await open(draft, "w", 0o600);
  try {
    const count = await forEachPage(ledger, terminal, (text) => handle.appendFile(text));
    await rename(draft, file);
    return count;
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
};

const forEachPage = async (
  ledger: DurableLedger,
  { signal }: Terminal,
  write: (text: string) => Promise<void>,
): Promise<number> => {
  let [after, count] = [0, 0];
  for (;;) {
    signal.throwIfAborted();
    const rows: readonly ChainRow[] = await queryLedger(ledger.rows({ after, limit: exportPageSize }));
    if (rows.length === 0) return count;
    await write(rows.map((row) => toJsonLine(row)).join(""));
    count += rows.length;
    after = rows.at(-1)!.seq;
  }
};
