import type { Findings } from "./campaign.ts";

const reported = (endings: Readonly<Record<string, number>>): string =>
  Object.entries(endings)
    .map(([ending, times]) => `${ending} ${times}`)
    .join(", ");

/** Results of the campaign as a Markdown table. */
export const summary = ({ seed, modes, neighbor, left }: Findings): string => {
  const shown = (ms: number | undefined): string => (ms === undefined ? "–" : `${Math.round(ms)}`);
  const rows = modes.map(
    ({ mode, rounds, endings, overMs, toldMs, lagMs }) =>
      `| ${mode} | ${rounds} | ${reported(endings)} | ${shown(toldMs)} | ${shown(overMs)} | ${shown(lagMs)} |`,
  );
  const total = modes.reduce((sum, { rounds }) => sum + rounds, 0);
  return [
    `${total} rounds of ${modes.length} kinds of misbehavior, seed ${seed}.`,
    `A well-behaved server got ${neighbor.calls} calls: ${neighbor.failed} failed, the slowest took ${Math.round(neighbor.slowestMs)} ms.`,
    `${left.length} processes were left. Times are the worst of all rounds.`,
    "",
    "| mode | rounds | result | failure after, ms | over the deadline, ms | event loop blocked, ms |",
    "|---|---:|---|---:|---:|---:|",
    ...rows,
    "",
  ].join("\n");
};
