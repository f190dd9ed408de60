import { rowName } from "../../ledger/durable/chain/signed-row.ts";
import type { DurableLedger, RowRange, Verification } from "../../types/durable-ledger.ts";
import { exitCodes, type Terminal } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { progressBar } from "../progress-bar.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";

/** A head or an anchor as it was noted: a hash, and nothing else could ever be found. */
export const readHash = (option: "expect" | "from", text: string): string => {
  const hash = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new CommandUsageError(
    `--${option} takes the 64 hexadecimal digits of a head or an anchor, as haft log --verify prints it; "${plainText(text)}" is none.`,
  );
};

/** What must be so besides, as it was noted before. */
export interface ChainExpectations {
  readonly expect?: string | undefined;
  readonly from?: string | undefined;
  readonly keyedFrom?: number | undefined;
}

/** Follows the whole chain. The head is worth noting elsewhere: it shows later that nothing was cut off. */
export const verifyChain = async (
  ledger: DurableLedger,
  { expect, from, keyedFrom }: ChainExpectations,
  terminal: Terminal,
  isJson: boolean,
): Promise<number> => {
  const bar = progressBar(terminal, isJson);
  const found = await queryLedger(
    ledger.verify({
      ...(expect === undefined ? {} : { expect }),
      ...(from === undefined ? {} : { from }),
      ...(keyedFrom === undefined ? {} : { keyedFrom }),
      onProgress: ({ done, total }) => bar.show({ done, total, etaMs: undefined }),
    }),
  );
  bar.end();
  if (isJson) terminal.out(toJsonLine(found));
  else {
    const lines = [
      `${found.rows} rows verified in ${ledger.place}`,
      ...keyLines(found),
      ...trustLines(found, expect ?? from),
      ...found.heads.map(({ seq, hash }) => `head ${rowName(seq)} ${hash}`),
      ...anchorLines(found),
    ];
    terminal.out(`${verificationText(found, terminal)}\n${lines.join("\n")}\n`);
  }
  return found.ok ? exitCodes.done : exitCodes.failed;
};

const verificationText = ({ ok, broken, unproved }: Verification, terminal: Terminal): string => {
  const { green, red, yellow } = painter(terminal);
  if (broken !== undefined) {
    const where = broken.seq === 0 ? "" : ` at row ${rowName(broken.seq)}`;
    return `${red("broken")}${where}: ${plainText(broken.why)}`;
  }
  if (unproved !== undefined) return `${yellow("not proved")}: ${plainText(unproved)}`;
  return ok ? green("ok") : red("broken");
};

/** Keys by their ids, and rows that anybody who could write to the database could have written. */
const keyLines = ({ keys, unkeyed }: Verification): readonly string[] => [
  ...(unkeyed === undefined
    ? []
    : [`${unkeyed.rows} rows carry no MAC (${rowRangeText(unkeyed)}): nothing proves who wrote them`]),
  ...keys.map(
    (use) =>
      `${use.rows} rows with a MAC of the key ${plainText(use.keyId)} (${rowRangeText(use)})${use.isHere ? "" : ", which is not here"}`,
  ),
];

/** What this verification cannot show. */
const trustLines = ({ keyFile }: Verification, noted: string | undefined): readonly string[] => [
  ...(keyFile === undefined
    ? []
    : [
        `the key was read from ${plainText(keyFile)}, next to the ledger: if somebody gave you both, they can have written every row. Set HAFT_LEDGER_KEY to the key you know`,
      ]),
  ...(noted === undefined
    ? ["rows that were cut off at the end are not missed: note the head elsewhere, and verify with --expect"]
    : []),
];

const rowRangeText = ({ from, to }: RowRange): string =>
  from === to ? rowName(from) : `${rowName(from)} to ${rowName(to)}`;

/** What is behind the last anchor could be cut off unnoticed; an anchor that is noted elsewhere proves the rest. */
const anchorLines = ({ anchor, unanchored }: Verification): readonly string[] => [
  ...(anchor === undefined ? [] : [`anchor ${anchor.number} ${anchor.hash}`]),
  ...(unanchored === undefined || unanchored === 0 ? [] : [`${unanchored} rows came after the last anchor`]),
];
