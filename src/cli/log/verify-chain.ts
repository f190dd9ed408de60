import type { DurableLedger } from "../../words/durable-ledger.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { ask } from "../ledger/open.ts";
import { Misuse } from "../misuse.ts";
import { painter, plain, toJsonLine } from "../screen.ts";

/** A head as it was noted: a hash, and nothing else could ever be found. */
export const readHash = (text: string): string => {
  const hash = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new Misuse(
    `--expect takes the 64 hexadecimal digits of a head, as haft log --verify prints it; "${plain(text)}" is none.`,
  );
};

/** Walks the whole chain. The head is worth noting elsewhere: it shows later that nothing was cut off. */
export const verifyChain = async (
  ledger: DurableLedger,
  expect: string | undefined,
  terminal: Terminal,
  isJson: boolean,
): Promise<number> => {
  const found = await ask(ledger.verify(expect === undefined ? {} : { expect }));
  const { ok, rows, head, broken } = found;
  if (isJson) terminal.out(toJsonLine(found));
  else {
    const { green, red } = painter(terminal);
    const where = broken === undefined ? "" : ` at row ${broken.seq}: ${plain(broken.why)}`;
    const verdict = ok ? green("ok") : red("broken");
    terminal.out(
      `${verdict}${where}\n${rows} rows verified in ${ledger.place}\nhead ${head.seq} ${head.hash}\n`,
    );
  }
  return ok ? exitCodes.done : exitCodes.failed;
};
