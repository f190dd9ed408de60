import { rowName } from "../../ledger/durable/chain/signed-row.ts";
import type { ApprovalRecord } from "../../types/approval.ts";
import type { ChainRow, DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import type { Terminal } from "../command.ts";
import { type Column, renderTable, type TableLayout } from "../fit-table.ts";
import { formatMilliseconds, formatTime, formatTimeOfDay, shortId, shortIdHint } from "../ledger/short-id.ts";
import { type LedgerFlags, queryLedger } from "../ledger/with-ledger.ts";
import { entryHeading, isReplayNote, stageRows } from "../print-stages.ts";
import { repeatLedgerFlags } from "../repeat-flags.ts";
import {
  alignColumns,
  type ColorFunctions,
  painter,
  plainText,
  shortenToColumns,
  toJsonLine,
} from "../screen.ts";
import { findEntries } from "./find-entries.ts";

export const showEntry = async (
  ledger: DurableLedger,
  typed: string,
  flags: LedgerFlags & { readonly json?: boolean },
  terminal: Terminal,
): Promise<boolean> => {
  const [entry, ...others] = await findEntries(ledger, typed);
  if (entry === undefined) {
    throw new Error(
      `No call "${plainText(typed)}" is in ${ledger.place}.${shortIdHint(typed)} haft log lists the newest.`,
    );
  }
  if (others.length > 0) {
    const table = renderTable(entryLayouts(painter(terminal)), [entry, ...others], terminal);
    terminal.error(`"${plainText(typed)}" could be any of these:\n${table}`);
    return false;
  }
  const asked = await queryLedger(ledger.approvals.list({ runId: entry.runId }));
  const approvals = asked.filter(({ entryId }) => entryId === entry.entryId);
  const rows = await queryLedger(ledger.rows({ entryId: entry.entryId }));
  const calls = (await queryLedger(ledger.entries({ runId: entry.runId }))).filter(
    ({ parentId }) => parentId === entry.entryId,
  );
  terminal.out(
    flags.json === true
      ? toJsonLine({ entry, approvals, rows, calls })
      : formatEntry(entry, approvals, rows, calls, repeatLedgerFlags({ ...flags }), terminal),
  );
  return true;
};

export const entryLayouts = (paint: ColorFunctions): readonly TableLayout<LedgerEntry>[] => {
  const time: Column<LedgerEntry> = { title: "TIME", cell: ({ at }) => formatTime(at) };
  const short: Column<LedgerEntry> = { title: "TIME", cell: ({ at }) => formatTimeOfDay(at) };
  const entry: Column<LedgerEntry> = {
    title: "ENTRY",
    cell: ({ entryId }) => shortId(entryId),
    floor: 8,
    most: 20,
  };
  const agent: Column<LedgerEntry> = {
    title: "AGENT",
    cell: ({ agent: name }) => plainText(name ?? "-"),
    floor: 10,
    most: 24,
  };
  const tool: Column<LedgerEntry> = {
    title: "TOOL",
    cell: (each) => `${each.parentId === undefined ? "" : "└ "}${plainText(each.tool)}`,
    floor: 16,
    most: 40,
  };
  const ending: Column<LedgerEntry> = {
    title: "ENDING",
    cell: (each) => paintEnding(each.ending, paint),
    floor: 8,
  };
  const lasted: Column<LedgerEntry> = {
    title: "     MS",
    cell: ({ durationMs }) => (durationMs === undefined ? "" : formatMilliseconds(durationMs)).padStart(7),
  };
  const what: Column<LedgerEntry> = { title: "OUTCOME", cell: entrySummary, least: 20 };
  const narrowWhat = { ...what, least: what.title.length };
  const narrowTool = { ...tool, floor: 10, most: 12 };
  return [
    [time, entry, agent, tool, ending, lasted, what],
    [short, entry, agent, tool, ending, lasted, what],
    [short, entry, { ...tool, most: 24 }, ending, lasted, what],
    [short, entry, narrowTool, ending, narrowWhat],
    [entry, narrowTool, ending, narrowWhat],
    [entry, ending, narrowWhat],
  ];
};

const paintEnding = (ending: LedgerEntry["ending"], { green, red, yellow, dim }: ColorFunctions): string => {
  const colors = { executed: green, failed: red, unknown: red, pending: yellow, hydrated: dim, open: dim };
  return colors[ending](ending);
};

const entrySummary = ({ ending, code, message, result, decision, notes = [] }: LedgerEntry): string => {
  if (code !== undefined) return plainText(`${code}: ${message ?? ""}`);
  if (ending === "pending") return plainText(decision ?? "pending approval");
  if (ending === "unknown") return "its process ended during the call: the call may have run";
  return shortenToColumns(`${notes.some(isReplayNote) ? "replayed: " : ""}${result ?? ""}`, 2_000);
};

const unlimitedWidth = Number.POSITIVE_INFINITY;

const formatEntry = (
  entry: LedgerEntry,
  approvals: readonly ApprovalRecord[],
  rows: readonly ChainRow[],
  calls: readonly LedgerEntry[],
  ledgerFlags: string,
  terminal: Terminal,
): string => {
  const paint = painter(terminal);
  const heading = `${entryHeading(entry, terminal)} ${paintEnding(entry.ending, paint)}`;
  const who = [
    ["agent", entry.agent],
    ["user", entry.user],
    ["tenant", entry.tenant],
    ["session", entry.session],
    ["call", entry.callId],
    ["run", entry.runId],
    ["inside of", entry.parentId],
    ["correlation", entry.correlationId],
    ["made in the Studio by", entry.operator],
    ["key", entry.key],
    ["input hash", entry.inputHash],
  ].flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, plainText(value)]]));
  const closedAt = rows.findLast(({ kind }) => kind === "closed")?.at;
  const chain = rows.map(({ seq, at, kind, hash }) => [`  ${rowName(seq)}`, formatTime(at), kind, hash]);
  return [
    heading,
    alignColumns([["  at", formatTime(entry.at)], ...who], unlimitedWidth),
    "",
    alignColumns(stageRows(entry, approvals, closedAt, ledgerFlags), unlimitedWidth),
    "",
    ...(calls.length === 0
      ? []
      : [
          paint.dim("  calls that its code made"),
          alignColumns(calls.map(toCallRow(paint)), unlimitedWidth),
          "",
        ]),
    paint.dim("  rows of the chain"),
    alignColumns(chain, unlimitedWidth),
    "",
  ].join("\n");
};

const toCallRow =
  (paint: ReturnType<typeof painter>) =>
  ({ entryId, tool, ending, input }: LedgerEntry): readonly string[] => [
    `  ${shortId(entryId)}`,
    plainText(tool),
    paintEnding(ending, paint),
    shortenToColumns(input, 200),
  ];
