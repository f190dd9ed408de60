import { hashText } from "../../base/json/hash.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { spellingsOf } from "../../tools/tool-name.ts";
import type { LedgerEntry, LedgerQuery } from "../../types/ledger.ts";
import { maskLedgerText, maskNames, maskProvenance } from "../mask-entry.ts";
import { maskSettlement } from "../mask-settlement.ts";
import { toPlainAttempts } from "../to-plain-attempts.ts";
import type { MemoryRow, MemoryState } from "./memory-row.ts";

/** Oldest first; beyond the limit the newest are kept. */
export const findEntries = ({ rows, redactor }: MemoryState, query: LedgerQuery): LedgerEntry[] => {
  const { before, after, limit } = query;
  const found = sliceBetween([...rows.values()], before, after).filter((row) => matchesQuery(row, query));
  if (after !== undefined) return found.slice(0, limit).map((row) => toMemoryEntry(row, redactor));
  const last = limit === undefined ? found : found.slice(Math.max(0, found.length - limit));
  return last.map((row) => toMemoryEntry(row, redactor));
};

/** Empty if the given entry is unknown. */
const sliceBetween = (
  rows: readonly MemoryRow[],
  before: string | undefined,
  after: string | undefined,
): readonly MemoryRow[] => {
  const placeOf = (entryId: string): number => rows.findIndex(({ opening }) => opening.entryId === entryId);
  const from = after === undefined ? 0 : placeOf(after) + 1;
  const to = before === undefined ? rows.length : Math.max(0, placeOf(before));
  return after !== undefined && from === 0 ? [] : rows.slice(from, to);
};

const matchesQuery = ({ opening, closing, ending }: MemoryRow, query: LedgerQuery): boolean =>
  (query.entryId === undefined || opening.entryId === query.entryId) &&
  (query.callId === undefined || opening.callId === query.callId) &&
  (query.runId === undefined || opening.runId === query.runId) &&
  (query.tool === undefined || spellingsOf(query.tool).includes(closing?.tool ?? opening.tool)) &&
  (query.agent === undefined || opening.agent === query.agent) &&
  (query.session === undefined || opening.session === query.session) &&
  (query.ending === undefined || ending === query.ending) &&
  (query.mayHaveTakenEffect !== true || ending === "unknown" || closing?.settlement?.tookEffect === true) &&
  (query.since === undefined || opening.at >= query.since) &&
  (query.until === undefined || opening.at <= query.until);

/** Redacted on read: the exact texts are in memory anyway. */
export const toMemoryEntry = (
  { opening, hash, closing, ending }: MemoryRow,
  redactor: Redactor,
): LedgerEntry => {
  const mask = (text: string): string => maskLedgerText(text, redactor);
  const redact = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : mask(text);
  const { isAgain: _again, ...opened } = opening;
  const { approval: _, full: __, epoch: ___, readOnly: ____, ...closed } = closing ?? {};
  return {
    ...opened,
    ...maskNames(opening, redactor),
    ...closed,
    tool: closing?.tool ?? redactor.text(opening.tool),
    ending,
    inputHash: hash ?? hashText(opening.input),
    input: mask(opening.input),
    result: redact(closing?.result),
    original: redact(closing?.original),
    message: redact(closing?.message),
    decision: redact(closing?.decision),
    ...(closing?.ranWith === undefined ? {} : { ranWith: mask(closing.ranWith) }),
    ...(closing === undefined ? {} : { notes: closing.notes.map(mask) }),
    ...(closing?.attempts === undefined ? {} : { attempts: toPlainAttempts(closing.attempts) }),
    ...(closing?.settlement === undefined ? {} : { settlement: maskSettlement(closing.settlement, mask) }),
    ...(closing?.provenance === undefined ? {} : { provenance: maskProvenance(closing.provenance, mask) }),
  };
};
