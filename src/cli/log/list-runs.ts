import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { RunSummary } from "../../words/run-book.ts";
import { type Column, type Layout, listed } from "../columns.ts";
import type { Terminal } from "../command.ts";
import { shortId } from "../ledger/ids.ts";
import { ask } from "../ledger/open.ts";
import { isOfSession, sessionOf } from "../ledger/session-of.ts";
import { clock, stamp } from "../ledger/times.ts";
import { type Paint, painter, plain, toJsonLine } from "../screen.ts";

/** Among so many of the newest those that fit are looked for. */
const newest = 10_000;

export interface RunFilter {
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

/** Which runs there were, the newest last, and which of them somebody can go on with. */
export const listRuns = async (
  ledger: DurableLedger,
  { agent, session, since, until, limit }: RunFilter,
  terminal: Terminal,
  isJson: boolean,
): Promise<void> => {
  const all = await ask(ledger.runs.list({ limit: newest }));
  const runs = all
    .filter((run) => agent === undefined || run.agent === agent)
    .filter((run) => session === undefined || isOfSession(run, session))
    .filter(({ startedAt }) => since === undefined || startedAt >= since)
    .filter(({ startedAt }) => until === undefined || startedAt <= until)
    .slice(0, limit)
    .reverse();
  if (isJson) for (const run of runs) terminal.out(toJsonLine(run));
  else if (runs.length === 0) terminal.error("No runs.\n");
  else terminal.out(listed(layouts(painter(terminal)), runs, terminal));
};

const layouts = (paint: Paint): readonly Layout<RunSummary>[] => {
  const started: Column<RunSummary> = { title: "STARTED", cell: ({ startedAt }) => stamp(startedAt) };
  const short: Column<RunSummary> = { title: "STARTED", cell: ({ startedAt }) => clock(startedAt) };
  const run: Column<RunSummary> = { title: "RUN", cell: ({ runId }) => shortId(runId) };
  const agent: Column<RunSummary> = { title: "AGENT", cell: (each) => plain(each.agent), most: 24 };
  const status: Column<RunSummary> = { title: "STATUS", cell: (each) => paintStatus(statusOf(each), paint) };
  const turns: Column<RunSummary> = { title: "TURNS", cell: (each) => String(each.turns).padStart(5) };
  const tokens: Column<RunSummary> = {
    title: "TOKENS",
    cell: ({ usage }) => String(usage.inputTokens + usage.outputTokens).padStart(6),
  };
  const why: Column<RunSummary> = { title: "WHY", cell: whyOf, least: 16 };
  return [
    [started, run, agent, status, turns, tokens, why],
    [short, run, agent, status, turns, tokens, why],
    [short, run, { ...agent, most: 12 }, status, why],
    [run, status, why],
  ];
};

/** A session is no run that somebody resumes, so it is called what it is, by the id that its loop knows. */
const whyOf = (run: RunSummary): string => {
  const { status, reason } = run;
  const session = sessionOf(run);
  if (session === undefined) return plain(reason ?? "");
  if (status === "pending") return `${session}, between two turns`;
  return reason === undefined ? session : `${session}: ${plain(reason)}`;
};

/** `left`: its process is gone, and nobody has gone on with it. */
const statusOf = ({ status, isHeld }: RunSummary): Status =>
  status === "running" && isHeld === false ? "left" : status;

type Status = RunSummary["status"] | "left";

const paintStatus = (status: Status, { green, red, yellow, dim }: Paint): string => {
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
