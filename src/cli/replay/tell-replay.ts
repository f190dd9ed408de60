import type { Replay, ReplayedCall } from "../../experiment/replay.ts";
import type { Terminal } from "../command.ts";
import { type Paint, painter, plain, shorten, titled } from "../screen.ts";

/** A line for each call, then line by line what its model would be told instead. */
export const tellReplay = ({ calls, summary, runId }: Replay, terminal: Terminal): void => {
  const paint = painter(terminal);
  if (calls.length === 0) {
    terminal.error(`${runId} made no calls.\n`);
    return;
  }
  const rows = calls.map(({ callId, tool, status, why }) => [
    shorten(callId, 40),
    shorten(tool, 40),
    paintStatus(status, paint),
    plain(why ?? ""),
  ]);
  terminal.out(titled(["CALL", "TOOL", "NOW", "WHY"], rows, terminal));
  for (const call of calls) if (call.diff !== "") terminal.out(diffOf(call, paint));
  const counts = Object.entries(summary).filter(([status, count]) => status !== "total" && count > 0);
  terminal.error(`${paint.dim(`${counts.map(([status, count]) => `${count} ${status}`).join(", ")}`)}\n`);
};

const paintStatus = (status: ReplayedCall["status"], { green, red, yellow, dim }: Paint): string => {
  const colors = { same: green, different: yellow, refused: red, gone: red, "not-run": dim };
  return colors[status](status);
};

const diffOf = ({ callId, tool, diff }: ReplayedCall, { bold, red, green }: Paint): string => {
  const lines = diff.split("\n").map((line) => {
    const clean = `  ${plain(line)}`;
    if (line.startsWith("-")) return red(clean);
    return line.startsWith("+") ? green(clean) : clean;
  });
  return `\n${bold(`${plain(tool)} ${plain(callId)}`)}\n${lines.join("\n")}\n`;
};
