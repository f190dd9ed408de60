import type { CancelResult } from "../../types/run-store.ts";
import { userName } from "../approvals/record-answers.ts";
import { command, exitCodes } from "../command.ts";
import { CommandUsageError } from "../command-usage-error.ts";
import { jsonLines } from "../json-option.ts";
import { findRunId, throwNoRun } from "../ledger/find-run.ts";
import { readMoment } from "../ledger/format-time.ts";
import { ledgerOptions, queryLedger, withLedger } from "../ledger/with-ledger.ts";
import { printRuns } from "../log/print-runs.ts";
import { readCount } from "../read-count.ts";
import { painter, toJsonLine } from "../screen.ts";

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
