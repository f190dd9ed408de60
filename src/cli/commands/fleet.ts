import type { FleetOverview, FleetWorker, PoolOverview, RestingRun } from "../../words/fleet.ts";
import { type Layout, listed } from "../columns.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { fleetOptions, withQueue } from "../fleet/open-queue.ts";
import { jsonLines, jsonValue } from "../json-option.ts";
import { Misuse } from "../misuse.ts";
import { painter, plain, toJsonLine } from "../screen.ts";

/** Who works, what waits, and why. */
export const fleet = command({
  operands: "",
  options: { ...fleetOptions, json: jsonValue("the whole fleet") },
  examples: [
    { line: "haft fleet", about: "workers, the queue, runs that wait for a person, dead letters" },
    { line: "haft fleet --json", about: "for a script" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0) {
      throw new Misuse("haft fleet takes no operands. haft fleet wake RUN and haft fleet drop RUN do.");
    }
    const { lookAt } = await import("../../fleet/look-at.ts");
    const seen = await withQueue(options, terminal, lookAt);
    if (options.json === true) terminal.out(toJsonLine(seen));
    else terminal.out(told(seen, terminal));
    return exitCodes.done;
  },
});

/** Tries a dead letter again, or a run that seems forgotten. */
export const fleetWake = command({
  operands: "RUN…",
  options: { ...fleetOptions, json: jsonLines("each run") },
  examples: [
    {
      line: "haft fleet wake job-4f3a9c0d-1e2b-4f44-8a5b-6c7d8e9f0a1b",
      about: "once what it failed for is repaired",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const runIds = await readRuns("wake", operands);
    const { openJobs } = await import("../../fleet/jobs.ts");
    await withQueue(options, terminal, async (queue) => {
      const jobs = await openJobs(queue, { shares: {} });
      for (const runId of runIds) {
        await jobs.unbury(runId);
        await jobs.wake(runId);
        if (options.json === true) terminal.out(toJsonLine({ runId, cameTo: "woken" }));
        else terminal.out(`${runId} ${painter(terminal).dim("is woken")}\n`);
      }
    });
    return exitCodes.done;
  },
});

/** Forgets a dead letter. Its run stays in the ledger as it is. */
export const fleetDrop = command({
  operands: "RUN…",
  options: { ...fleetOptions, json: jsonLines("each run") },
  examples: [
    {
      line: "haft fleet drop job-4f3a9c0d-1e2b-4f44-8a5b-6c7d8e9f0a1b",
      about: "nobody looks after it any more",
    },
    { line: "haft runs give-up job-4f3a9c0d", about: "ends a run that still waits" },
  ],
  run: async ({ options, operands, terminal }) => {
    const runIds = await readRuns("drop", operands);
    const { openJobs } = await import("../../fleet/jobs.ts");
    await withQueue(options, terminal, async (queue) => {
      const jobs = await openJobs(queue, { shares: {} });
      for (const runId of runIds) {
        await jobs.unbury(runId);
        if (options.json === true) terminal.out(toJsonLine({ runId, cameTo: "dropped" }));
        else terminal.out(`${runId} ${painter(terminal).dim("is no dead letter any more")}\n`);
      }
    });
    return exitCodes.done;
  },
});

const readRuns = async (name: string, operands: readonly string[]): Promise<readonly string[]> => {
  const { isSubmittedRun } = await import("../../fleet/run-id.ts");
  if (operands.length === 0) {
    throw new Misuse(
      `haft fleet ${name} takes runs. haft fleet lists those that wait and those that failed.`,
    );
  }
  for (const each of operands) {
    if (!isSubmittedRun(each))
      throw new Misuse(`"${plain(each)}" is no run of a fleet; their ids begin with job-.`);
  }
  return operands;
};

const told = (seen: FleetOverview, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { ready, delayed, active, oldestSeconds } = seen.queue;
  const rate = seen.workers.reduce((sum, each) => sum + each.rate, 0);
  const queue =
    `${bold("queue")}  ${ready} ready, ${delayed} later, ${active} with workers; ` +
    `the oldest waits ${seconds(oldestSeconds)}; ${rate.toFixed(1)} runs a second\n`;
  const workers =
    seen.workers.length === 0
      ? dim("No worker is there.\n")
      : listed([workerColumns], seen.workers, terminal);
  const resting = (title: string, count: number, runs: readonly RestingRun[]): string =>
    count === 0 ? "" : `\n${bold(title)}  ${count}\n${listed([restingColumns(terminal)], runs, terminal)}`;
  const schedules = seen.schedules.map(
    ({ runId, cron, timezone }) => `${plain(runId)}  ${plain(cron)}  ${plain(timezone)}\n`,
  );
  return [
    queue,
    "\n",
    workers,
    resting("waiting for a person", seen.parkedCount, seen.parked),
    resting("dead letters", seen.deadCount, seen.dead),
    seen.pools.length === 0 ? "" : `\n${bold("pools")}\n${listed([poolColumns], seen.pools, terminal)}`,
    ...(schedules.length === 0 ? [] : [`\n${bold("schedules")}\n`, ...schedules]),
  ].join("");
};

const seconds = (count: number): string =>
  count < 120 ? `${count.toFixed(1)} s` : `${Math.round(count / 60)} min`;

const workerColumns: Layout<FleetWorker> = [
  { title: "worker", cell: ({ id }) => id.slice(0, 8) },
  { title: "where", cell: ({ host, pid }) => `${plain(host)}/${pid}`, most: 32 },
  { title: "state", cell: ({ state }) => plain(state) },
  { title: "running", cell: ({ running, concurrency }) => `${running}/${concurrency}` },
  { title: "ended", cell: ({ ended }) => String(ended) },
  { title: "a second", cell: ({ rate }) => rate.toFixed(1) },
  { title: "agents", cell: ({ agents }) => plain(agents.join(", ")), least: 10 },
];

const poolColumns: Layout<PoolOverview> = [
  { title: "pool", cell: ({ pool }) => plain(pool), least: 10 },
  { title: "waiting", cell: ({ waiting }) => String(waiting) },
  { title: "running", cell: ({ running }) => String(running) },
  { title: "oldest", cell: ({ oldestSeconds }) => seconds(oldestSeconds) },
];

const restingColumns = ({ now }: Pick<Terminal, "now">): Layout<RestingRun> => [
  { title: "run", cell: ({ runId }) => plain(runId) },
  { title: "since", cell: ({ since }) => seconds(Math.max(0, (now() - since) / 1_000)) },
  { title: "why", cell: ({ reason }) => plain(reason), least: 10 },
];
