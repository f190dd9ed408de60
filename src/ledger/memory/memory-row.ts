import { hashText } from "../../base/json/canonical-json.ts";
import type { Redactor } from "../../base/json/redact.ts";
import { spellingsOf } from "../../tools/tool-name.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { EntryClosing, EntryOpening, LedgerEntry, LedgerQuery } from "../../types/ledger.ts";
import type { ContentPart } from "../../types/message.ts";
import type { HeldRunLeases } from "../held-run-leases.ts";
import { toPlainAttempts } from "../ledger-errors.ts";
import { maskLedgerText, maskNames, maskProvenance } from "../mask-entry.ts";
import { maskSettlement } from "../settled-closing.ts";
import type { MemoryRunLease } from "./runs.ts";

export interface MemoryRow {
  readonly opening: EntryOpening;
  /** Computed eagerly only for truncated texts. */
  readonly hash: string | undefined;
  closing: EntryClosing | undefined;
  ending: LedgerEntry["ending"];
  /** Of its last opening. */
  epoch: number | undefined;
  keys: readonly string[];
  closedAt: number | undefined;
  isQueued: boolean;
}

export interface MemoryKey {
  readonly row: MemoryRow;
  readonly call: string;
  /** After the call's end; undefined never expires. */
  readonly retentionMs: number | undefined;
}

interface MediaCache {
  readonly keep: (entryId: string, parts: readonly ContentPart[]) => void;
  readonly of: (entryId: string) => readonly ContentPart[] | undefined;
  readonly drop: (entryId: string) => void;
}

/** In characters. */
const defaultMaxCharacters = 67_108_864;

export const createMediaCache = (maxCharacters = defaultMaxCharacters): MediaCache => {
  const kept = new Map<string, readonly ContentPart[]>();
  let length = 0;
  const drop = (entryId: string): void => {
    const parts = kept.get(entryId);
    if (parts === undefined) return;
    kept.delete(entryId);
    length -= lengthOf(parts);
  };
  return {
    drop,
    of: (entryId) => kept.get(entryId),
    keep: (entryId, parts) => {
      drop(entryId);
      kept.set(entryId, parts);
      length += lengthOf(parts);
      for (const oldest of kept.keys()) {
        if (length <= maxCharacters) return;
        drop(oldest);
      }
    },
  };
};

const lengthOf = (parts: readonly ContentPart[]): number =>
  parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text : (part.data ?? part.url)).length, 0);

export interface MemoryState {
  readonly rows: Map<string, MemoryRow>;
  readonly keys: Map<string, MemoryKey>;
  readonly mostKeys: number;
  readonly asked: Map<string, ApprovalRecord>;
  readonly claims: Map<string, MemoryRunLease>;
  readonly held: HeldRunLeases;
  readonly redactor: Redactor;
  readonly longest: number;
  readonly parts: MediaCache;
  readonly end: (row: MemoryRow, closing: EntryClosing) => void;
  readonly lose: (row: MemoryRow) => void;
  readonly archive: (row: MemoryRow) => void;
}

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
