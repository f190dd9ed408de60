import * as Effect from "effect/Effect";
import { hashText } from "../base/json/canonical-json.ts";
import type { Redactor } from "../base/json/redact.ts";
import { shorten } from "../base/text/cut-text.ts";
import type { ApprovalRecord } from "../types/approval.ts";
import type { EntryClosing, EntryOpening, LedgerStore } from "../types/ledger.ts";
import { createHeldRunLeases } from "./held-run-leases.ts";
import { entryStateError, toPlainAttempts } from "./ledger-errors.ts";
import { createJointMasking, maskLedgerText } from "./mask-entry.ts";
import { createMemoryApprovals } from "./memory/approvals.ts";
import { noKeyNames, recallMemoryEntry, reserveMemoryKey } from "./memory/keys.ts";
import {
  createMediaCache,
  findEntries,
  type MemoryKey,
  type MemoryRow,
  type MemoryState,
} from "./memory/memory-row.ts";
import { checkLease, createMemoryRuns } from "./memory/runs.ts";
import { isFinalEnding } from "./settled-closing.ts";

/** Options of a ledger in memory. */
export interface MemoryLedgerOptions {
  readonly redactor: Redactor;
  /**
   * How many ended entries are kept. Reads are evicted first, then others, oldest first. Entries with keys
   * have a separate limit of the same size and are not evicted: that would allow a second execution.
   */
  readonly keep?: number;
  /** Called once, on the first eviction. Default: a process warning. */
  readonly warn?: ((message: string) => void) | undefined;
}

const maxTextLength = 16_384;

export interface MemoryLedger extends Required<Omit<LedgerStore, "intend" | "end" | "place">> {
  readonly forgotten: () => number;
}

/** A ledger in memory, for tests, read-only tools and experiments. */
export const memoryLedger = ({
  redactor: redactorOption,
  keep = 10_000,
  warn = emitWarning,
}: MemoryLedgerOptions): MemoryLedger => {
  const { masking: redactor, add: alsoMask } = createJointMasking(redactorOption);
  const rows = new Map<string, MemoryRow>();
  const ended = createEvictionQueue(keep, ({ ending }) => isFinalEnding(ending));
  let forgotten = 0;
  const keys = new Map<string, MemoryKey>();
  const approvals = new Map<string, ApprovalRecord>();

  const archive = (row: MemoryRow): void => {
    const oldest = ended.add(row);
    if (oldest === undefined) return;
    rows.delete(oldest.opening.entryId);
    parts.drop(oldest.opening.entryId);
    forgotten += 1;
    if (forgotten === 1) warn(forgettingMessage(keep));
  };
  /** The new holder of the run cannot know what the code did. */
  const markUnknown = (row: MemoryRow): void => {
    row.ending = "unknown";
    row.closedAt = Date.now();
    if (row.keys.length === 0) archive(row);
  };
  const end = (row: MemoryRow, closing: EntryClosing): void => {
    row.closing = closing;
    row.ending = closing.ending;
    row.closedAt = Date.now();
    if (!isFinalEnding(closing.ending)) return;
    if (row.keys.length > 0) {
      if (closing.ending !== "failed" || closing.ran === true) return;
      for (const name of row.keys) keys.delete(name);
      row.keys = noKeyNames;
    }
    archive(row);
  };
  const heldLeases = createHeldRunLeases();
  const parts = createMediaCache();
  const state: MemoryState = {
    rows,
    keys,
    mostKeys: keep,
    asked: approvals,
    claims: new Map(),
    held: heldLeases,
    redactor,
    longest: maxTextLength,
    parts,
    end,
    lose: markUnknown,
    archive,
  };

  return {
    alsoMask,
    forgotten: () => forgotten,
    // Eager: returns a completed Effect.
    open: (opening) => {
      const stale = checkLease(state, opening.runId, opening.epoch);
      if (stale !== undefined) return Effect.fail(stale);
      const before = rows.get(opening.entryId);
      if (before === undefined) rows.set(opening.entryId, toMemoryRow(truncateNames(opening), redactor));
      else if (before.ending !== "unknown" && before.ending !== "hydrated")
        return Effect.fail(entryStateError("opened", opening.entryId));
      else {
        before.ending = "open";
        before.epoch = opening.epoch;
      }
      return Effect.void;
    },
    close: (closing) => {
      const row = rows.get(closing.entryId);
      if (row === undefined || isFinalEnding(row.ending)) {
        const stale = row && checkLease(state, row.opening.runId, closing.epoch, true);
        return Effect.fail(stale ?? entryStateError("closed", closing.entryId));
      }
      const stale = checkLease(state, row.opening.runId, closing.epoch, true);
      if (stale !== undefined) {
        // An entry reopened under a newer lease is closed by its holder.
        if ((row.epoch ?? 0) <= (closing.epoch ?? 0)) markUnknown(row);
        return Effect.fail(stale);
      }
      const { approval, parts: given, ...rest } = closing;
      if (given !== undefined) parts.keep(closing.entryId, given);
      end(row, withPlainAttempts(row, truncateClosing(rest, redactor)));
      if (approval !== undefined && !approvals.has(approval.id)) {
        approvals.set(approval.id, { ...approval, entryId: closing.entryId, runId: row.opening.runId });
        const [first] = approvals.values();
        const isOver = first?.status !== "waiting" && first?.status !== "answered";
        if (approvals.size > keep && isOver) approvals.delete(first!.id);
      }
      return Effect.void;
    },
    entries: (query = {}) =>
      Effect.sync(() =>
        findEntries(
          state,
          query.callId === undefined ? query : { ...query, callId: query.callId.slice(0, maxNameLength) },
        ),
      ),
    reserve: (claim) => Effect.suspend(() => reserveMemoryKey(state, claim)),
    recall: (entryId) => Effect.sync(() => recallMemoryEntry(state, entryId)),
    settle: (request) => Effect.map(settleModule, ({ settleMemoryEntry: settle }) => settle(state, request)),
    approvals: createMemoryApprovals(state),
    runs: { watch: heldLeases.watch, ...createMemoryRuns(state, keep) },
  };
};

interface EvictionQueue {
  readonly add: (row: MemoryRow) => MemoryRow | undefined;
}

/** Read-only calls go first. */
const createEvictionQueue = (keep: number, isEnded: (row: MemoryRow) => boolean): EvictionQueue => {
  const reads = createRowQueue();
  const writes = createRowQueue();
  let count = 0;

  /** Reopened rows are queued again when they end. */
  const oldest = (of: RowQueue): MemoryRow | undefined => {
    for (let row = of.shift(); row !== undefined; row = of.shift()) {
      row.isQueued = false;
      count -= 1;
      if (isEnded(row)) return row;
    }
    return undefined;
  };

  return {
    add: (row) => {
      if (row.isQueued) return undefined;
      row.isQueued = true;
      count += 1;
      (row.closing?.readOnly === true ? reads : writes).push(row);
      return count > keep ? (oldest(reads) ?? oldest(writes)) : undefined;
    },
  };
};

interface RowQueue {
  readonly push: (row: MemoryRow) => void;
  readonly shift: () => MemoryRow | undefined;
}

/** Compacted occasionally, so that `shift` is amortized O(1). */
const createRowQueue = (): RowQueue => {
  let rows: (MemoryRow | undefined)[] = [];
  let first = 0;
  return {
    push: (row) => {
      rows.push(row);
    },
    shift: () => {
      if (first === rows.length) return undefined;
      const row = rows[first];
      rows[first] = undefined;
      first += 1;
      if (first > 1_024 && first * 2 > rows.length) {
        rows = rows.slice(first);
        first = 0;
      }
      return row;
    },
  };
};

/** Settling is rare. */
const settleModule = Effect.promise(() => import("./memory/settle.ts"));

const forgettingMessage = (keep: number): string =>
  `The ledger in memory keeps the last ${keep} calls that ended, and drops older ones from now on. To keep them, use ` +
  'a ledger on disk: "sqlite:./haft.db".';

/** Standard output may carry a protocol. */
const emitWarning = (message: string): void => process.emitWarning(message, { type: "HaftWarning" });

const maxNameLength = 1_000;

const truncateNames = (opening: EntryOpening): EntryOpening =>
  opening.tool.length > maxNameLength || opening.callId.length > maxNameLength
    ? {
        ...opening,
        tool: opening.tool.slice(0, maxNameLength),
        callId: opening.callId.slice(0, maxNameLength),
      }
    : opening;

/** A secret at the cut would otherwise remain in part. */
const truncateMasked = (text: string, redactor: Redactor): string =>
  text.length > maxTextLength ? copyString(shorten(maskLedgerText(text, redactor), maxTextLength)) : text;

/** A substring keeps the whole string in memory. */
const copyString = (text: string): string => Buffer.from(text).toString();

const toMemoryRow = (opening: EntryOpening, redactor: Redactor): MemoryRow => {
  const isLong = opening.input.length > maxTextLength;
  return {
    opening: isLong ? { ...opening, input: truncateMasked(opening.input, redactor) } : opening,
    hash: isLong ? hashText(opening.input) : undefined,
    closing: undefined,
    ending: "open",
    epoch: opening.epoch,
    keys: noKeyNames,
    closedAt: undefined,
    isQueued: false,
  };
};

/** Frees the long texts that attempts hold for their hashes. */
const withPlainAttempts = ({ hash }: MemoryRow, closing: EntryClosing): EntryClosing =>
  hash === undefined ? closing : { ...closing, attempts: toPlainAttempts(closing.attempts) };

const truncateClosing = (closing: EntryClosing, redactor: Redactor): EntryClosing =>
  (closing.result?.length ?? 0) > maxTextLength || (closing.original?.length ?? 0) > maxTextLength
    ? {
        ...closing,
        result: closing.result === undefined ? undefined : truncateMasked(closing.result, redactor),
        original: closing.original === undefined ? undefined : truncateMasked(closing.original, redactor),
      }
    : closing;
