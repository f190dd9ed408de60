import type { DurableLedger } from "../../words/durable-ledger.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { ask } from "../ledger/open.ts";
import { painter, plain, toJsonLine } from "../screen.ts";

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
