import type { FleetOverview, FleetWorker, InactiveRun } from "../../types/fleet.ts";
import { CommandUsageError, command, exitCodes, jsonLines, jsonValue, type Terminal } from "../command.ts";
import { renderTable, type TableLayout } from "../fit-table.ts";
import { fleetOptions, withQueue } from "../fleet/with-queue.ts";
import { painter, plainText, toJsonLine } from "../screen.ts";

/** Prints the workers, the queue, waiting runs and dead letters. */
export const fleet = command({
  operands: "",
  options: { ...fleetOptions, json: jsonValue("the whole fleet") },
  examples: [
    { line: "haft fleet", about: "workers, the queue, runs that are pending approval, dead letters" },
    { line: "haft fleet --json", about: "for a script" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0) {
      throw new CommandUsageError(
        "haft fleet accepts no operands. Use haft fleet wake RUN or haft fleet drop RUN.",
      );
    }
    const { readFleetOverview } = await import("../../fleet/read-fleet-overview.ts");
    const seen = await withQueue(options, terminal, readFleetOverview);
    if (options.json === true) terminal.out(toJsonLine(seen));
    else terminal.out(formatFleet(seen, terminal));
    return exitCodes.done;
  },
});

export const fleetWake = command({
  operands: "RUN…",
  options: { ...fleetOptions, json: jsonLines("each run") },
  examples: [
    {
      line: "haft fleet wake job-4f3a9c0d-1e2b-4f44-8a5b-6c7d8e9f0a1b",
      about: "after the cause of the failure is fixed",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    const runIds = await readRunIds("wake", operands);
    const { openRunJobs: openJobs } = await import("../../fleet/run-jobs.ts");
    await withQueue(options, terminal, async (queue) => {
      const jobs = await openJobs(queue, { shares: {} });
      for (const runId of runIds) {
        await jobs.removeDeadLetter(runId);
        await jobs.wake(runId);
        if (options.json === true) terminal.out(toJsonLine({ runId, cameTo: "woken" }));
        else terminal.out(`${runId} ${painter(terminal).dim("was queued again")}\n`);
      }
    });
    return exitCodes.done;
  },
});

export const fleetDrop = command({
  operands: "RUN…",
  options: { ...fleetOptions, json: jsonLines("each run") },
  examples: [
    {
      line: "haft fleet drop job-4f3a9c0d-1e2b-4f44-8a5b-6c7d8e9f0a1b",
      about: "the run is no longer needed",
    },
    { line: "haft runs give-up job-4f3a9c0d", about: "cancel a run that is still pending" },
  ],
  run: async ({ options, operands, terminal }) => {
    const runIds = await readRunIds("drop", operands);
    const { openRunJobs: openJobs } = await import("../../fleet/run-jobs.ts");
    await withQueue(options, terminal, async (queue) => {
      const jobs = await openJobs(queue, { shares: {} });
      for (const runId of runIds) {
        await jobs.removeDeadLetter(runId);
        if (options.json === true) terminal.out(toJsonLine({ runId, cameTo: "dropped" }));
        else terminal.out(`${runId} ${painter(terminal).dim("was removed from the dead letters")}\n`);
      }
    });
    return exitCodes.done;
  },
});

const readRunIds = async (name: string, operands: readonly string[]): Promise<readonly string[]> => {
  const { isSubmittedRun } = await import("../../fleet/run-id.ts");
  if (operands.length === 0) {
    throw new CommandUsageError(
      `haft fleet ${name} requires run ids. haft fleet lists pending and failed runs.`,
    );
  }
  for (const each of operands) {
    if (!isSubmittedRun(each))
      throw new CommandUsageError(`"${plainText(each)}" is not a run of a fleet. Their ids begin with job-.`);
  }
  return operands;
};

const formatFleet = (overview: FleetOverview, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { ready, delayed, active, oldestSeconds } = overview.queue;
  const rate = overview.workers.reduce((sum, each) => sum + each.rate, 0);
  const queue =
    `${bold("queue")}  ${ready} ready, ${delayed} later, ${active} with workers; ` +
    `the oldest has waited ${formatSeconds(oldestSeconds)}; ${rate.toFixed(1)} runs a second\n`;
  const workers =
    overview.workers.length === 0
      ? dim("No worker is running.\n")
      : renderTable([workerColumns], overview.workers, terminal);
  const section = (title: string, count: number, runs: readonly InactiveRun[]): string =>
    count === 0
      ? ""
      : `\n${bold(title)}  ${count}\n${renderTable([inactiveRunColumns(terminal)], runs, terminal)}`;
  const schedules = overview.schedules.map(
    ({ runId, cron, timezone }) => `${plainText(runId)}  ${plainText(cron)}  ${plainText(timezone)}\n`,
  );
  return [
    queue,
    "\n",
    workers,
    section("pending approval", overview.parkedCount, overview.parked),
    section("dead letters", overview.deadCount, overview.dead),
    ...(schedules.length === 0 ? [] : [`\n${bold("schedules")}\n`, ...schedules]),
  ].join("");
};

const formatSeconds = (count: number): string =>
  count < 120 ? `${count.toFixed(1)} s` : `${Math.round(count / 60)} min`;

const workerColumns: TableLayout<FleetWorker> = [
  { title: "worker", cell: ({ id }) => id.slice(0, 8) },
  { title: "where", cell: ({ host, pid }) => `${plainText(host)}/${pid}`, most: 32 },
  { title: "state", cell: ({ state }) => plainText(state) },
  { title: "running", cell: ({ running, concurrency }) => `${running}/${concurrency}` },
  { title: "ended", cell: ({ ended }) => String(ended) },
  { title: "a second", cell: ({ rate }) => rate.toFixed(1) },
  { title: "agents", cell: ({ agents }) => plainText(agents.join(", ")), least: 10 },
];

const inactiveRunColumns = ({ now }: Pick<Terminal, "now">): TableLayout<InactiveRun> => [
  { title: "run", cell: ({ runId }) => plainText(runId) },
  { title: "since", cell: ({ since }) => formatSeconds(Math.max(0, (now() - since) / 1_000)) },
  { title: "why", cell: ({ reason }) => plainText(reason), least: 10 },
];
