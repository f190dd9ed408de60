import type { Findings } from "./campaign.ts";

const told = (endings: Readonly<Record<string, number>>): string =>
  Object.entries(endings)
    .map(([ending, times]) => `${ending} ${times}`)
    .join(", ");

/** The campaign as a page: how each mode ended, how late that was told, and how long this process could do nothing else. */
export const summary = ({ seed, modes, neighbor, left }: Findings): string => {
  const shown = (ms: number | undefined): string => (ms === undefined ? "–" : `${Math.round(ms)}`);
  const rows = modes.map(
    ({ mode, rounds, endings, overMs, toldMs, lagMs }) =>
      `| ${mode} | ${rounds} | ${told(endings)} | ${shown(toldMs)} | ${shown(overMs)} | ${shown(lagMs)} |`,
  );
  const total = modes.reduce((sum, { rounds }) => sum + rounds, 0);
  return [
    "# Servers that misbehave",
    "",
    "Written by `HAFT_SOAK=1 HAFT_SOAK_WRITE=1 npm run test:system -- test/system/garbage/garbage.test.ts`; `npm run soak` runs the same.",
    "",
    `${total} rounds of ${modes.length} ways to be a bad MCP server over standard input, four at once, seed ${seed}.`,
    `A good server beside them was asked ${neighbor.calls} times meanwhile; ${neighbor.failed} answers were missing or wrong,`,
    `and the slowest took ${Math.round(neighbor.slowestMs)} ms. ${left.length} processes were left behind. Times are the worst of all rounds.`,
    "",
    "| mode | rounds | ended with | told after, ms | over the deadline by, ms | event loop held up, ms |",
    "|---|---:|---|---:|---:|---:|",
    ...rows,
    "",
  ].join("\n");
};
