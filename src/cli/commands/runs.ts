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
    agent: { type: "string", value: "NAME", about: "only those of this agent" },
    session: { type: "string", value: "ID", about: "only those whose caller is of this session" },
    since: {
      type: "string",
      value: "TIME",
      about: "only those that started after it, such as 2h or 2026-11-01",
    },
    until: { type: "string", value: "TIME", about: "only those that started until then" },
    limit: { type: "string", short: "n", value: "N", about: "the newest so many; 50 unless given" },
    json: jsonLines("each run"),
    ...ledgerOptions,
  },
  examples: [
    { line: "haft runs", about: "the newest fifty" },
    { line: "haft runs --since 1d --json", about: "those of the last day, for a script" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new CommandUsageError("haft runs takes no operands. haft runs give-up RUN ends one.");
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

export const runsCancel = command({
  operands: "RUN…",
  options: {
    by: {
      type: "string",
      value: "NAME",
      about: "who gives it up, for the record; the user of this machine unless given",
    },
    json: jsonLines("what became of each run"),
    ...ledgerOptions,
  },
  examples: [
    { line: "haft runs give-up run-4f3a9c0d1e2b3f44-1", about: "so that haft log --prune can forget it" },
    { line: "haft runs", about: "which runs were left" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length === 0)
      throw new CommandUsageError("haft runs give-up takes runs. haft runs lists them.");
    const { dim, red } = painter(terminal);
    const by = options.by ?? userName(terminal);
    return withLedger(options, terminal, "write", async (ledger) => {
      let code: number = exitCodes.done;
      for (const typed of operands) {
        const runId = (await findRunId(ledger, typed)) ?? throwNoRun(ledger, typed);
        const came: CancelResult = await queryLedger(ledger.runs.giveUp(runId, by, terminal.now()));
        if (came !== "given-up") code = exitCodes.failed;
        if (options.json === true) terminal.out(toJsonLine({ runId, cameTo: came }));
        else if (came === "given-up") terminal.out(`${runId} ${dim("is given up")}\n`);
        else terminal.error(`${red("haft:")} ${cancelFailureTexts[came](runId)}\n`);
      }
      return code;
    });
  },
});

const cancelFailureTexts: Readonly<Record<Exclude<CancelResult, "given-up">, (runId: string) => string>> = {
  unknown: (runId) => `${runId} is a call on its own, not a run: there is nothing to give up.`,
  ended: (runId) => `${runId} has ended already.`,
};
