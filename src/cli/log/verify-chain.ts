import { rowName } from "../../ledger/durable/chain/signed-row.ts";
import type { DurableLedger, RowRange, Verification } from "../../types/durable-ledger.ts";
import { CommandUsageError, exitCodes, type Terminal } from "../command.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { painter, plainText, progressBar, toJsonLine } from "../screen.ts";

export const readHash = (option: "expect" | "from", text: string): string => {
  const hash = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new CommandUsageError(
    `--${option} must be the 64 hexadecimal digits of a head or an anchor, as haft log --verify prints it, not "${plainText(text)}".`,
  );
};

export interface ChainExpectations {
  readonly expect?: string | undefined;
  readonly from?: string | undefined;
  readonly keyedFrom?: number | undefined;
}

/** A head that was noted elsewhere proves later that no rows were cut off. */
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

/** Any writer of the database could have written rows without a MAC. */
const keyLines = ({ keys, unkeyed }: Verification): readonly string[] => [
  ...(unkeyed === undefined
    ? []
    : [`${unkeyed.rows} rows have no MAC (${rowRangeText(unkeyed)}), so their author cannot be verified`]),
  ...keys.map(
    (use) =>
      `${use.rows} rows with a MAC of the key ${plainText(use.keyId)} (${rowRangeText(use)})${use.isHere ? "" : ", which is not available"}`,
  ),
];

const trustLines = ({ keyFile }: Verification, noted: string | undefined): readonly string[] => [
  ...(keyFile === undefined
    ? []
    : [
        `the key was read from ${plainText(keyFile)}, next to the ledger. Anyone who supplied both files could have written every row. Set HAFT_LEDGER_KEY to a key that you trust`,
      ]),
  ...(noted === undefined
    ? ["rows removed from the end cannot be detected: store the head elsewhere and verify with --expect"]
    : []),
];

const rowRangeText = ({ from, to }: RowRange): string =>
  from === to ? rowName(from) : `${rowName(from)} to ${rowName(to)}`;

/** Rows after the last anchor can be cut off undetected. */
const anchorLines = ({ anchor, unanchored }: Verification): readonly string[] => [
  ...(anchor === undefined ? [] : [`anchor ${anchor.number} ${anchor.hash}`]),
  ...(unanchored === undefined || unanchored === 0
    ? []
    : [`${unanchored} rows are newer than the last anchor`]),
];
