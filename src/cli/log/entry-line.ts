import type { LedgerEntry } from "../../words/ledger.ts";
import { shortId } from "../ledger/ids.ts";
import { stamp, took } from "../ledger/times.ts";
import { type Paint, plain, shorten } from "../screen.ts";

export const entryHead = ["TIME", "ENTRY", "AGENT", "TOOL", "ENDING", "MS", "WHAT CAME OF IT"];

/** One call in a line. Widths have a floor, so that lines that come later stand below each other. */
export const entryLine = (entry: LedgerEntry, paint: Paint): readonly string[] => [
  stamp(entry.at),
  shortId(entry.entryId).padEnd(8),
  shorten(entry.agent ?? "-", 24).padEnd(10),
  shorten(entry.tool, 40).padEnd(16),
  paintEnding(entry.ending, paint),
  (entry.durationMs === undefined ? "" : took(entry.durationMs)).padStart(7),
  gist(entry),
];

/** Which color tells whether somebody should look. */
export const paintEnding = (ending: LedgerEntry["ending"], { green, red, yellow, dim }: Paint): string => {
  const colors = { executed: green, failed: red, unknown: red, pending: yellow, hydrated: dim, open: dim };
  return colors[ending](ending.padEnd(8));
};

const gist = ({ ending, code, message, result, decision }: LedgerEntry): string => {
  if (code !== undefined) return plain(`${code}: ${message ?? ""}`);
  if (ending === "pending") return plain(decision ?? "waits for a person");
  if (ending === "unknown") return "its process ended on the way: it may have run";
  return shorten(result ?? "", 2_000);
};
