import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { RunSummary } from "../../words/run-book.ts";
import type { Terminal } from "../command.ts";
import { shortId } from "../ledger/ids.ts";
import { ask } from "../ledger/open.ts";
import { stamp } from "../ledger/times.ts";
import { type Paint, painter, plain, shorten, titled, toJsonLine } from "../screen.ts";

/** Which runs there were, the newest last, and which of them somebody can go on with. */
export const listRuns = async (
  ledger: DurableLedger,
  query: { readonly agent?: string; readonly limit: number },
  terminal: Terminal,
  isJson: boolean,
): Promise<void> => {
  const { agent, limit } = query;
  const all = await ask(ledger.runs.list(agent === undefined ? { limit } : {}));
  const runs = all
    .filter((run) => agent === undefined || run.agent === agent)
    .slice(0, limit)
    .reverse();
  if (isJson) for (const run of runs) terminal.out(toJsonLine(run));
  else if (runs.length === 0) terminal.error("No runs.\n");
  else {
    const paint = painter(terminal);
    terminal.out(
      titled(
        ["STARTED", "RUN", "AGENT", "STATUS", "TURNS", "TOKENS", "WHY"],
        runs.map((run) => lineOf(run, paint)),
        terminal,
      ),
    );
  }
};

const lineOf = (run: RunSummary, paint: Paint): readonly string[] => [
  stamp(run.startedAt),
  shortId(run.runId),
  shorten(run.agent, 24),
  paintStatus(run.status, paint),
  String(run.turns).padStart(5),
  String(run.usage.inputTokens + run.usage.outputTokens).padStart(6),
  plain(run.reason ?? ""),
];

const paintStatus = (status: RunSummary["status"], { green, red, yellow, dim }: Paint): string => {
  const color = {
    done: green,
    failed: red,
    pending: yellow,
    stopped: yellow,
    cancelled: dim,
    running: yellow,
  };
  return color[status](status);
};
