import type { DurableLedger } from "../../types/durable-ledger.ts";
import { type CancelResult, type RunSummary, runKindRulesOf } from "../../types/run-store.ts";
import { withExpiry } from "../approvals/list-approvals.ts";
import { userName } from "../approvals/record-answers.ts";
import { CommandUsageError, command, exitCodes, jsonLines, readCount, type Terminal } from "../command.ts";
import { type Column, renderTable, type TableLayout } from "../fit-table.ts";
import { findRunId, throwNoRun } from "../ledger/find-run.ts";
import {
  formatTime,
  formatTimeOfDay,
  isRunOfSession,
  readMoment,
  sessionLabel,
  shortId,
} from "../ledger/short-id.ts";
import { ledgerOptions, queryLedger, withLedger } from "../ledger/with-ledger.ts";
import { type ColorFunctions, painter, plainText, toJsonLine } from "../screen.ts";

const maxSearchedRuns = 10_000;

interface RunFilter {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

const printRuns = async (
  ledger: DurableLedger,
  { agent, session, since, until, limit }: RunFilter,
  terminal: Terminal,
  isJson: boolean,
): Promise<void> => {
  const all = await queryLedger(ledger.runs.list({ limit: maxSearchedRuns }));
  const runs = all
    .filter((run) => agent === undefined || run.agent === agent)
    .filter((run) => session === undefined || isRunOfSession(run, session))
    .filter(({ startedAt }) => since === undefined || startedAt >= since)
    .filter(({ startedAt }) => until === undefined || startedAt <= until)
    .slice(0, limit)
    .reverse();
  const listedRuns = await Promise.all(runs.map((run) => withNeeds(ledger, run, terminal.now())));
  if (isJson) for (const run of listedRuns) terminal.out(toJsonLine(run));
  else if (listedRuns.length === 0) terminal.error("No runs.\n");
  else terminal.out(renderTable(runLayouts(painter(terminal)), listedRuns, terminal));
};

/** The stored reason says why the run stopped; what it needs next depends on its approvals. */
const withNeeds = async (ledger: DurableLedger, run: RunSummary, now: number): Promise<RunSummary> => {
  if (run.status !== "pending" || sessionLabel(run) !== undefined) return run;
  const asked = (await queryLedger(ledger.approvals.list({ runId: run.runId }))).map((record) =>
    withExpiry(record, now),
  );
  const open = asked.filter(({ status, waitsFor }) => status === "waiting" && waitsFor === undefined);
  if (open.length > 0) {
    const tools = [...new Set(open.map(({ tool }) => tool))].join(", ");
    return { ...run, reason: `Needs approval of ${tools}: haft approvals --run ${shortId(run.runId)}` };
  }
  if (asked.every(({ status }) => status !== "answered" && status !== "expired")) return run;
  const isAnswered = asked.some(({ status }) => status === "answered");
  const next = `${runKindRulesOf(run.runId).resumer ?? `haft resume ${shortId(run.runId)}`} resumes it`;
  return {
    ...run,
    reason: `${isAnswered ? "Its approvals are answered" : "Its approvals expired"}: ${next}`,
  };
};

const runLayouts = (paint: ColorFunctions): readonly TableLayout<RunSummary>[] => {
  const started: Column<RunSummary> = { title: "STARTED", cell: ({ startedAt }) => formatTime(startedAt) };
  const short: Column<RunSummary> = { title: "STARTED", cell: ({ startedAt }) => formatTimeOfDay(startedAt) };
  const run: Column<RunSummary> = { title: "RUN", cell: ({ runId }) => shortId(runId) };
  const agent: Column<RunSummary> = { title: "AGENT", cell: (each) => plainText(each.agent), most: 24 };
  const status: Column<RunSummary> = {
    title: "STATUS",
    cell: (each) => paintRunStatus(runDisplayStatus(each), paint),
  };
  const turns: Column<RunSummary> = { title: "TURNS", cell: (each) => String(each.turns).padStart(5) };
  const tokens: Column<RunSummary> = {
    title: "TOKENS",
    cell: ({ usage }) => String(usage.inputTokens + usage.outputTokens).padStart(6),
  };
  const why: Column<RunSummary> = { title: "WHY", cell: runReasonText, least: 16 };
  return [
    [started, run, agent, status, turns, tokens, why],
    [short, run, agent, status, turns, tokens, why],
    [short, run, { ...agent, most: 12 }, status, why],
    [run, status, why],
  ];
};

const runReasonText = (run: RunSummary): string => {
  const { status, reason } = run;
  const session = sessionLabel(run);
  if (session === undefined) return plainText(reason ?? "");
  if (status === "pending") return `${session}, between two turns`;
  return reason === undefined ? session : `${session}: ${plainText(reason)}`;
};

/** `left`: the process of the run is gone, and no other process has resumed it. */
const runDisplayStatus = ({ status, isHeld }: RunSummary): RunDisplayStatus =>
  status === "running" && isHeld === false ? "left" : status;

type RunDisplayStatus = RunSummary["status"] | "left";

const paintRunStatus = (status: RunDisplayStatus, { green, red, yellow, dim }: ColorFunctions): string => {
  const color = {
    done: green,
    failed: red,
    pending: yellow,
    stopped: yellow,
    cancelled: dim,
    running: yellow,
    left: red,
  };
  return color[status](status);
};

export const runs = command({
  operands: "",
  options: {
    agent: { type: "string", value: "NAME", about: "only runs of this agent" },
    session: { type: "string", value: "ID", about: "only runs whose caller is in this session" },
    since: {
      type: "string",
      value: "TIME",
      about: "only runs that started after this time, such as 2h or 2026-11-01",
    },
    until: { type: "string", value: "TIME", about: "only runs that started before this time" },
    limit: { type: "string", short: "n", value: "N", about: "maximum number, newest first; default 50" },
    json: jsonLines("each run"),
    ...ledgerOptions,
  },
  examples: [
    { line: "haft runs", about: "the newest fifty" },
    { line: "haft runs --since 1d --json", about: "runs of the last day, for a script" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError("haft runs accepts no operands. haft runs give-up RUN cancels a run.");
    const { agent, session } = options;
    const since =
      options.since === undefined ? undefined : readMoment("since", options.since, terminal.now());
    const until =
      options.until === undefined ? undefined : readMoment("until", options.until, terminal.now());
    const limit = readCount("limit", options.limit, 1) ?? 50;
    await withLedger(options, terminal, "read", (ledger) =>
      printRuns(ledger, { agent, session, since, until, limit }, terminal, options.json === true),
    );
    return exitCodes.done;
  },
});

export const runsGiveUp = command({
  operands: "RUN…",
  options: {
    by: {
      type: "string",
      value: "NAME",
      about: "name of the operator who cancels it, for the record; default: the user of this machine",
    },
    json: jsonLines("the result for each run"),
    ...ledgerOptions,
  },
  examples: [
    { line: "haft runs give-up run-4f3a9c0d1e2b3f44-1", about: "so that haft log --prune can delete it" },
    { line: "haft runs", about: "which runs were interrupted" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length === 0)
      throw new CommandUsageError("haft runs give-up requires run ids. haft runs lists them.");
    const { dim, red } = painter(terminal);
    const by = options.by ?? userName(terminal);
    return withLedger(options, terminal, "write", async (ledger) => {
      let code: number = exitCodes.done;
      for (const typed of operands) {
        const runId = (await findRunId(ledger, typed)) ?? throwNoRun(ledger, typed);
        const came: CancelResult = await queryLedger(ledger.runs.cancel(runId, by, terminal.now()));
        if (came !== "given-up") code = exitCodes.failed;
        if (options.json === true) terminal.out(toJsonLine({ runId, cameTo: came }));
        else if (came === "given-up") terminal.out(`${runId} ${dim("was cancelled")}\n`);
        else terminal.error(`${red("haft:")} ${cancelFailureTexts[came](runId)}\n`);
      }
      return code;
    });
  },
});

const cancelFailureTexts: Readonly<Record<Exclude<CancelResult, "given-up">, (runId: string) => string>> = {
  unknown: (runId) => `${runId} is a single call, not a run, so it cannot be cancelled.`,
  ended: (runId) => `${runId} has ended already.`,
};
