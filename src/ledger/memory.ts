import * as Effect from "effect/Effect";
import { hashText } from "../json/hash.ts";
import type { Redactor } from "../json/redact.ts";
import { LedgerError } from "../words/errors.ts";
import type { ProvenanceNote } from "../words/hydration.ts";
import type { Closing, LedgerEntry, LedgerQuery, LedgerStore, Opening } from "../words/ledger.ts";

export interface MemoryLedgerOptions {
  readonly redactor: Redactor;
  /** How many ended entries are kept; the oldest goes first. */
  readonly keep?: number;
}

/** Longer texts are cut, so that ten thousand entries cannot fill the memory of their process. */
const longest = 16_384;

interface Row {
  /** Rows are read back in the order they were opened, whenever they ended. */
  readonly number: number;
  readonly opening: Opening;
  /** Taken at once only where the text is cut; otherwise when somebody asks. */
  readonly hash: string | undefined;
  closing: Closing | undefined;
}

/** Nothing survives the process. Made for tests, for tools that only read, and for trying things out. */
export const memoryLedger = ({ redactor, keep = 10_000 }: MemoryLedgerOptions): LedgerStore => {
  const open = new Map<string, Row>();
  const ended: Row[] = [];
  let oldest = 0;
  let count = 0;

  const archive = (row: Row): void => {
    if (ended.length < keep) ended.push(row);
    else {
      ended[oldest] = row;
      oldest = (oldest + 1) % keep;
    }
  };

  return {
    // Written when asked, not when run: the answer is an Effect that is over already.
    open: (opening) => {
      if (open.has(opening.entryId)) return Effect.fail(twice("opened", opening.entryId));
      open.set(opening.entryId, toRow(short(opening), ++count, redactor));
      return Effect.void;
    },
    close: (closing) => {
      const row = open.get(closing.entryId);
      if (row === undefined) return Effect.fail(twice("closed", closing.entryId));
      row.closing = cutClosing(closing, redactor);
      if (closing.ending === "pending" || closing.ending === "hydrated") return Effect.void;
      open.delete(closing.entryId);
      archive(row);
      return Effect.void;
    },
    entries: (query = {}) =>
      Effect.sync(() => {
        const found = [...ended, ...open.values()].filter((row) => fits(row, query));
        found.sort((one, other) => one.number - other.number);
        const last = query.limit === undefined ? found : found.slice(Math.max(0, found.length - query.limit));
        return last.map((row) => toEntry(row, redactor));
      }),
  };
};

const twice = (what: string, entryId: string): LedgerError =>
  new LedgerError(
    "ledger_unavailable",
    `The entry "${entryId}" cannot be ${what}: it is not there, or it was before.`,
  );

/** Names come from a model too. */
const longestName = 1_000;

const short = (opening: Opening): Opening =>
  opening.tool.length > longestName || opening.callId.length > longestName
    ? { ...opening, tool: opening.tool.slice(0, longestName), callId: opening.callId.slice(0, longestName) }
    : opening;

/** Masked before it is cut: a secret at the place of the cut would leave its first half behind. */
const cut = (text: string, redactor: Redactor): string =>
  text.length > longest ? `${masked(text, redactor).slice(0, longest)}…` : text;

const toRow = (opening: Opening, number: number, redactor: Redactor): Row =>
  opening.input.length > longest
    ? {
        number,
        opening: { ...opening, input: cut(opening.input, redactor) },
        hash: hashText(opening.input),
        closing: undefined,
      }
    : { number, opening, hash: undefined, closing: undefined };

const cutClosing = (closing: Closing, redactor: Redactor): Closing =>
  (closing.result?.length ?? 0) > longest || (closing.original?.length ?? 0) > longest
    ? {
        ...closing,
        result: closing.result === undefined ? undefined : cut(closing.result, redactor),
        original: closing.original === undefined ? undefined : cut(closing.original, redactor),
      }
    : closing;

const fits = (row: Row, query: LedgerQuery): boolean =>
  (query.callId === undefined || row.opening.callId === query.callId) &&
  (query.runId === undefined || row.opening.runId === query.runId) &&
  (query.tool === undefined || (row.closing?.tool ?? row.opening.tool) === query.tool) &&
  (query.ending === undefined || (row.closing?.ending ?? "open") === query.ending);

/** Redaction happens here, on the way out: in memory the texts are where the secrets are anyway. */
const toEntry = ({ opening, hash, closing }: Row, redactor: Redactor): LedgerEntry => {
  const redact = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : masked(text, redactor);
  return {
    ...opening,
    ...closing,
    tool: closing?.tool ?? redactor.text(opening.tool),
    ending: closing?.ending ?? "open",
    inputHash: hash ?? hashText(opening.input),
    input: masked(opening.input, redactor),
    result: redact(closing?.result),
    original: redact(closing?.original),
    message: redact(closing?.message),
    decision: redact(closing?.decision),
    ...(closing === undefined ? {} : { notes: closing.notes.map((note) => masked(note, redactor)) }),
    ...(closing?.provenance === undefined ? {} : { provenance: redactChanges(closing.provenance, redactor) }),
  };
};

const redactChanges = (provenance: ProvenanceNote, redactor: Redactor): ProvenanceNote =>
  provenance.changes.length === 0
    ? provenance
    : {
        ...provenance,
        changes: provenance.changes.map((change) => ({
          ...change,
          from: masked(change.from, redactor),
          to: masked(change.to, redactor),
        })),
      };

/** As a value where the text is JSON, so that key names count; else as the text it is. */
const masked = (text: string, redactor: Redactor): string => {
  try {
    return JSON.stringify(redactor.value(JSON.parse(text)));
  } catch {
    return String(redactor.value(text));
  }
};
