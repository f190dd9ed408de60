import * as Effect from "effect/Effect";
import { hashText } from "../json/hash.ts";
import type { Redactor } from "../json/redact.ts";
import type { ApprovalBook, ApprovalRecord } from "../words/approval.ts";
import type { Closing, LedgerStore, Opening } from "../words/ledger.ts";
import type { RunBook } from "../words/run-book.ts";
import { isEnded } from "./is-ended.ts";
import { masked } from "./masked.ts";
import { lazyBook } from "./memory/lazy-book.ts";
import type { MemoryRow, MemoryState } from "./memory/row.ts";
import { twice } from "./refusals.ts";

export interface MemoryLedgerOptions {
  readonly redactor: Redactor;
  /**
   * How many ended entries are kept; the oldest goes first. Those that a caller's own key stands for are kept apart,
   * just as many: a key that was forgotten would let its call be made again.
   */
  readonly keep?: number;
}

/** Longer texts are cut, so that ten thousand entries cannot fill the memory of their process. */
const longest = 16_384;

const approvalActs = ["find", "list", "answer", "take", "annul", "standing", "refuse"] as const;
const runActs = ["begin", "add", "amend", "end", "find", "list", "claim"] as const;

/** Nothing survives the process. Made for tests, for tools that only read, and for trying things out. */
export const memoryLedger = ({
  redactor,
  keep = 10_000,
}: MemoryLedgerOptions): Required<Omit<LedgerStore, "intend" | "end">> => {
  /** In the order they were opened, whenever they ended. */
  const rows = new Map<string, MemoryRow>();
  const ended: MemoryRow[] = [];
  let oldest = 0;
  const keys = new Map<string, MemoryRow>();
  const asked = new Map<string, ApprovalRecord>();

  const forget = (row: MemoryRow | undefined): void => {
    if (row === undefined || !isEnded(row.ending)) return;
    rows.delete(row.opening.entryId);
  };
  const archive = (row: MemoryRow): void => {
    if (row.key !== undefined) return;
    if (ended.length < keep) {
      ended.push(row);
      return;
    }
    forget(ended[oldest]);
    ended[oldest] = row;
    oldest = (oldest + 1) % keep;
  };
  const state: MemoryState = {
    rows,
    keys,
    mostKeys: keep,
    asked,
    redactor,
    longest,
  };

  return {
    // Written when asked, not when run: the answer is an Effect that is over already.
    open: (opening) => {
      const before = rows.get(opening.entryId);
      if (before === undefined) rows.set(opening.entryId, toRow(short(opening), redactor));
      else if (before.ending !== "unknown" && before.ending !== "hydrated")
        return Effect.fail(twice("opened", opening.entryId));
      else before.ending = "open";
      return Effect.void;
    },
    close: (closing) => {
      const row = rows.get(closing.entryId);
      if (row === undefined || isEnded(row.ending)) return Effect.fail(twice("closed", closing.entryId));
      const { approval, ending } = closing;
      row.closing = cutClosing(closing, redactor);
      row.ending = ending;
      if (approval !== undefined && !asked.has(approval.id)) {
        asked.set(approval.id, approval);
        const [first] = asked.values();
        const isOver = first?.status !== "waiting" && first?.status !== "answered";
        if (asked.size > keep && isOver) asked.delete(first!.id);
      }
      if (!isEnded(ending)) return Effect.void;
      if (row.key !== undefined && ending === "failed" && closing.ran !== true) {
        keys.delete(row.key);
        row.key = undefined;
      }
      archive(row);
      return Effect.void;
    },
    // What not every call needs is loaded by the first that does.
    entries: (query = {}) =>
      Effect.map(
        Effect.promise(() => import("./memory/entries.ts")),
        ({ findEntries }) => findEntries(state, query),
      ),
    reserve: (claim) =>
      Effect.flatMap(
        Effect.promise(() => import("./memory/keys.ts")),
        ({ reserve }) => reserve(state, claim),
      ),
    recall: (entryId) =>
      Effect.map(
        Effect.promise(() => import("./memory/keys.ts")),
        ({ recall }) => recall(state, entryId),
      ),
    approvals: {
      isDurable: false,
      ...lazyBook<Omit<ApprovalBook, "isDurable">>(approvalActs, async () =>
        (await import("./memory/approvals.ts")).memoryApprovals(state),
      ),
    },
    runs: lazyBook<RunBook>(runActs, async () => (await import("./memory/runs.ts")).memoryRuns(keep)),
  };
};

/** Names come from a model too. */
const longestName = 1_000;

const short = (opening: Opening): Opening =>
  opening.tool.length > longestName || opening.callId.length > longestName
    ? { ...opening, tool: opening.tool.slice(0, longestName), callId: opening.callId.slice(0, longestName) }
    : opening;

/** Masked before it is cut: a secret at the place of the cut would leave its first half behind. */
const cut = (text: string, redactor: Redactor): string =>
  text.length > longest ? `${masked(text, redactor).slice(0, longest)}…` : text;

const toRow = (opening: Opening, redactor: Redactor): MemoryRow => {
  const isLong = opening.input.length > longest;
  return {
    opening: isLong ? { ...opening, input: cut(opening.input, redactor) } : opening,
    hash: isLong ? hashText(opening.input) : undefined,
    closing: undefined,
    ending: "open",
    key: undefined,
  };
};

const cutClosing = (closing: Closing, redactor: Redactor): Closing =>
  (closing.result?.length ?? 0) > longest || (closing.original?.length ?? 0) > longest
    ? {
        ...closing,
        result: closing.result === undefined ? undefined : cut(closing.result, redactor),
        original: closing.original === undefined ? undefined : cut(closing.original, redactor),
      }
    : closing;
