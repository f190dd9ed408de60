import type { DurableLedger } from "../../types/durable-ledger.ts";
import { runKindRulesOf } from "../../types/run-kinds.ts";
import type { RunSummary } from "../../types/run-store.ts";
import { withExpiry } from "../approvals/list-approvals.ts";
import type { Terminal } from "../command.ts";
import { type Column, renderTable, type TableLayout } from "../fit-table.ts";
import { formatTime, formatTimeOfDay } from "../ledger/format-time.ts";
import { isRunOfSession, sessionLabel } from "../ledger/session-label.ts";
import { shortId } from "../ledger/short-id.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { type ColorFunctions, painter, plainText, toJsonLine } from "../screen.ts";

const maxSearchedRuns = 10_000;

export interface RunFilter {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

export const printRuns = async (
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
