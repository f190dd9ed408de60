import type { LedgerEntry } from "../../types/ledger.ts";
import type { Column, TableLayout } from "../fit-table.ts";
import { formatMilliseconds, formatTime, formatTimeOfDay } from "../ledger/format-time.ts";
import { shortId } from "../ledger/short-id.ts";
import { isReplayNote } from "../print-stages.ts";
import { type ColorFunctions, plainText, shortenToColumns } from "../screen.ts";

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

export const paintEnding = (
  ending: LedgerEntry["ending"],
  { green, red, yellow, dim }: ColorFunctions,
): string => {
  const colors = { executed: green, failed: red, unknown: red, pending: yellow, hydrated: dim, open: dim };
  return colors[ending](ending);
};

const entrySummary = ({ ending, code, message, result, decision, notes = [] }: LedgerEntry): string => {
  if (code !== undefined) return plainText(`${code}: ${message ?? ""}`);
  if (ending === "pending") return plainText(decision ?? "pending approval");
  if (ending === "unknown") return "its process ended during the call: the call may have run";
  return shortenToColumns(`${notes.some(isReplayNote) ? "replayed: " : ""}${result ?? ""}`, 2_000);
};
