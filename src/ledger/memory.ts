import * as Effect from "effect/Effect";
import { hashText } from "../json/hash.ts";
import type { Redactor } from "../json/redact.ts";
import { shorten } from "../text/cut-text.ts";
import type { ApprovalRecord } from "../words/approval.ts";
import type { Closing, LedgerStore, Opening } from "../words/ledger.ts";
import { heldClaims } from "./held-claims.ts";
import { isEnded } from "./is-ended.ts";
import { jointMasking } from "./joint-masking.ts";
import { masked } from "./masked.ts";
import { memoryApprovals } from "./memory/approvals.ts";
import { refuseStale } from "./memory/claims.ts";
import { endedRows } from "./memory/ended-rows.ts";
import { findEntries } from "./memory/entries.ts";
import { keptParts } from "./memory/kept-parts.ts";
import { recall, reserve } from "./memory/keys.ts";
import type { MemoryRow, MemoryState } from "./memory/row.ts";
import { memoryRuns } from "./memory/runs.ts";
import { plainAttempts } from "./plain-attempts.ts";
import { twice } from "./refusals.ts";

/** What a ledger in memory keeps. */
export interface MemoryLedgerOptions {
  readonly redactor: Redactor;
  /**
   * How many ended entries are kept; of those that only read the oldest goes first, then of the others. Those that a
   * caller's own key stands for are kept apart, just as many: a key that was forgotten would let its call be made again.
   */
  readonly keep?: number;
  /** Told once, when the first entry is forgotten. A warning of the process unless named. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Longer texts are cut, so that ten thousand entries cannot fill the memory of their process. */
const longest = 16_384;

export interface MemoryLedger extends Required<Omit<LedgerStore, "intend" | "end">> {
  /** How many ended entries were forgotten, because only so many are kept. */
  readonly forgotten: () => number;
}

/** Nothing survives the process. Made for tests, for tools that only read, and for trying things out. */
export const memoryLedger = ({
  redactor: own,
  keep = 10_000,
  warn = emitWarning,
}: MemoryLedgerOptions): MemoryLedger => {
  const { masking: redactor, add: alsoMask } = jointMasking(own);
  /** In the order they were opened, whenever they ended. */
  const rows = new Map<string, MemoryRow>();
  const ended = endedRows(keep, ({ ending }) => isEnded(ending));
  let forgotten = 0;
  const keys = new Map<string, MemoryRow>();
  const asked = new Map<string, ApprovalRecord>();

  const archive = (row: MemoryRow): void => {
    const oldest = ended.add(row);
    if (oldest === undefined) return;
    rows.delete(oldest.opening.entryId);
    parts.drop(oldest.opening.entryId);
    forgotten += 1;
    if (forgotten === 1) warn(forgets(keep));
  };
  /** What its code did is not known to whoever has the run now. */
  const lose = (row: MemoryRow): void => {
    row.ending = "unknown";
    if (row.key === undefined) archive(row);
  };
  const end = (row: MemoryRow, closing: Closing): void => {
    row.closing = closing;
    row.ending = closing.ending;
    if (!isEnded(closing.ending)) return;
    if (row.key !== undefined) {
      if (closing.ending !== "failed" || closing.ran === true) return;
      keys.delete(row.key);
      row.key = undefined;
    }
    archive(row);
  };
  const held = heldClaims();
  const parts = keptParts();
  const state: MemoryState = {
    rows,
    keys,
    mostKeys: keep,
    asked,
    claims: new Map(),
    held,
    redactor,
    longest,
    parts,
    end,
    lose,
  };

  return {
    alsoMask,
    forgotten: () => forgotten,
    // Written when asked, not when run: the answer is an Effect that is over already.
    open: (opening) => {
      const stale = refuseStale(state, opening.runId, opening.epoch);
      if (stale !== undefined) return Effect.fail(stale);
      const before = rows.get(opening.entryId);
      if (before === undefined) rows.set(opening.entryId, toRow(short(opening), redactor));
      else if (before.ending !== "unknown" && before.ending !== "hydrated")
        return Effect.fail(twice("opened", opening.entryId));
      else {
        before.ending = "open";
        before.epoch = opening.epoch;
      }
      return Effect.void;
    },
    close: (closing) => {
      const row = rows.get(closing.entryId);
      if (row === undefined || isEnded(row.ending)) {
        const stale = row && refuseStale(state, row.opening.runId, closing.epoch, true);
        return Effect.fail(stale ?? twice("closed", closing.entryId));
      }
      const stale = refuseStale(state, row.opening.runId, closing.epoch, true);
      if (stale !== undefined) {
        // One that was opened again under a newer claim is for its holder to close.
        if ((row.epoch ?? 0) <= (closing.epoch ?? 0)) lose(row);
        return Effect.fail(stale);
      }
      const { approval, parts: given, ...rest } = closing;
      if (given !== undefined) parts.keep(closing.entryId, given);
      end(row, withoutInput(row, cutClosing(rest, redactor)));
      if (approval !== undefined && !asked.has(approval.id)) {
        asked.set(approval.id, { ...approval, entryId: closing.entryId, runId: row.opening.runId });
        const [first] = asked.values();
        const isOver = first?.status !== "waiting" && first?.status !== "answered";
        if (asked.size > keep && isOver) asked.delete(first!.id);
      }
      return Effect.void;
    },
    entries: (query = {}) =>
      Effect.sync(() =>
        findEntries(
          state,
          query.callId === undefined ? query : { ...query, callId: query.callId.slice(0, longestName) },
        ),
      ),
    reserve: (claim) => Effect.suspend(() => reserve(state, claim)),
    recall: (entryId) => Effect.sync(() => recall(state, entryId)),
    approvals: memoryApprovals(state),
    runs: { watch: held.watch, ...memoryRuns(state, keep) },
  };
};

const forgets = (keep: number): string =>
  `The ledger in memory keeps the last ${keep} calls that ended, and forgets older ones from now on. To keep them, use ` +
  'a ledger on disk: "sqlite:./haft.db".';

/** On standard error, because standard output may belong to a protocol. */
const emitWarning = (message: string): void => process.emitWarning(message, { type: "HaftWarning" });

/** Names come from a model too. */
const longestName = 1_000;

const short = (opening: Opening): Opening =>
  opening.tool.length > longestName || opening.callId.length > longestName
    ? { ...opening, tool: opening.tool.slice(0, longestName), callId: opening.callId.slice(0, longestName) }
    : opening;

/** Masked before it is cut: a secret at the place of the cut would leave its first half behind. */
const cut = (text: string, redactor: Redactor): string =>
  text.length > longest ? detached(shorten(masked(text, redactor), longest)) : text;

/** A part of a text keeps the whole of it in memory, unless it is written anew. */
const detached = (text: string): string => Buffer.from(text).toString();

const toRow = (opening: Opening, redactor: Redactor): MemoryRow => {
  const isLong = opening.input.length > longest;
  return {
    opening: isLong ? { ...opening, input: cut(opening.input, redactor) } : opening,
    hash: isLong ? hashText(opening.input) : undefined,
    closing: undefined,
    ending: "open",
    epoch: opening.epoch,
    key: undefined,
    isQueued: false,
  };
};

/** Attempts hold what their code got until somebody asks for its hash. What was long is hashed now and let go of. */
const withoutInput = ({ hash }: MemoryRow, closing: Closing): Closing =>
  hash === undefined ? closing : { ...closing, attempts: plainAttempts(closing.attempts) };

const cutClosing = (closing: Closing, redactor: Redactor): Closing =>
  (closing.result?.length ?? 0) > longest || (closing.original?.length ?? 0) > longest
    ? {
        ...closing,
        result: closing.result === undefined ? undefined : cut(closing.result, redactor),
        original: closing.original === undefined ? undefined : cut(closing.original, redactor),
      }
    : closing;
