import { rowName } from "../../ledger/durable/chain/link.ts";
import type { ApprovalRecord } from "../../words/approval.ts";
import type { ChainRow, DurableLedger } from "../../words/durable-ledger.ts";
import type { LedgerEntry } from "../../words/ledger.ts";
import { listed } from "../columns.ts";
import type { Terminal } from "../command.ts";
import { findById, shortId, tooShort } from "../ledger/ids.ts";
import { ask } from "../ledger/open.ts";
import { stamp } from "../ledger/times.ts";
import { painter, plain, shorten, table, toJsonLine } from "../screen.ts";
import { headingOf, wayOf } from "../show-way.ts";
import { entryLayouts, paintEnding } from "./entry-line.ts";

/** Among so many of the newest a shortened id is looked for. */
const newest = 10_000;

/** One call with its whole way; several where what was typed could be any of them. Whether one was found. */
export const showEntry = async (
  ledger: DurableLedger,
  typed: string,
  terminal: Terminal,
  isJson: boolean,
): Promise<boolean> => {
  const [entry, ...others] = await findEntries(ledger, typed);
  if (entry === undefined) {
    throw new Error(
      `No call "${plain(typed)}" is in ${ledger.place}.${tooShort(typed)} haft log lists the newest.`,
    );
  }
  if (others.length > 0) {
    const table = listed(entryLayouts(painter(terminal)), [entry, ...others], terminal);
    terminal.error(`"${plain(typed)}" could be any of these:\n${table}`);
    return false;
  }
  const asked = await ask(ledger.approvals.list({ runId: entry.runId }));
  const approvals = asked.filter(({ entryId }) => entryId === entry.entryId);
  const rows = await ask(ledger.rows({ entryId: entry.entryId }));
  const calls = (await ask(ledger.entries({ runId: entry.runId }))).filter(
    ({ parentId }) => parentId === entry.entryId,
  );
  terminal.out(
    isJson ? toJsonLine({ entry, approvals, rows, calls }) : tell(entry, approvals, rows, calls, terminal),
  );
  return true;
};

const findEntries = async (ledger: DurableLedger, typed: string): Promise<readonly LedgerEntry[]> => {
  const byEntry = await ask(ledger.entries({ entryId: typed }));
  if (byEntry.length > 0) return byEntry;
  const byCall = await ask(ledger.entries({ callId: typed }));
  if (byCall.length > 0) return byCall;
  return findById(typed, await ask(ledger.entries({ limit: newest })), ({ entryId }) => entryId);
};

/** Of one call nothing is cut. */
const whole = Number.POSITIVE_INFINITY;

const tell = (
  entry: LedgerEntry,
  approvals: readonly ApprovalRecord[],
  rows: readonly ChainRow[],
  calls: readonly LedgerEntry[],
  terminal: Terminal,
): string => {
  const paint = painter(terminal);
  const heading = `${headingOf(entry, terminal)} ${paintEnding(entry.ending, paint)}`;
  const who = [
    ["agent", entry.agent],
    ["user", entry.user],
    ["tenant", entry.tenant],
    ["session", entry.session],
    ["call", entry.callId],
    ["run", entry.runId],
    ["inside of", entry.parentId],
    ["correlation", entry.correlationId],
    ["key", entry.key],
    ["input hash", entry.inputHash],
  ].flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, plain(value)]]));
  const closedAt = rows.findLast(({ kind }) => kind === "closed")?.at;
  const chain = rows.map(({ seq, at, kind, hash }) => [`  ${rowName(seq)}`, stamp(at), kind, hash]);
  return [
    heading,
    table([["  at", stamp(entry.at)], ...who], whole),
    "",
    table(wayOf(entry, approvals, closedAt), whole),
    "",
    ...(calls.length === 0
      ? []
      : [paint.dim("  calls that its code made"), table(calls.map(callLine(paint)), whole), ""]),
    paint.dim("  rows of the chain"),
    table(chain, whole),
    "",
  ].join("\n");
};

const callLine =
  (paint: ReturnType<typeof painter>) =>
  ({ entryId, tool, ending, input }: LedgerEntry): readonly string[] => [
    `  ${shortId(entryId)}`,
    plain(tool),
    paintEnding(ending, paint),
    shorten(input, 200),
  ];
