import type { ApprovalRecord } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import {
  type ApprovalFilter,
  approvalHead,
  approvalLine,
  approvalsOf,
  statuses,
} from "../approvals/listing.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { findRunId } from "../ledger/find-run.ts";
import { bookOptions, withLedger } from "../ledger/open.ts";
import { every } from "../log/follow.ts";
import { Misuse } from "../misuse.ts";
import { painter, table, titled, toJsonLine } from "../screen.ts";

/** What waits for a person. */
export const approvals = command({
  name: "approvals",
  about: "List the calls that wait for a person's answer.",
  operands: "",
  options: {
    status: { type: "string", value: "WHICH", choices: statuses, about: "waiting unless given" },
    run: { type: "string", value: "RUN", about: "only calls of this run" },
    follow: { type: "boolean", short: "f", about: "go on with what comes, until Ctrl-C" },
    json: { type: "boolean", about: "print one JSON object a line" },
    ...bookOptions,
  },
  examples: [
    { line: "haft approvals", about: "who wants to do what, and until when it can be answered" },
    { line: "haft approvals --status all --json", about: "also what was answered, by whom" },
    { line: "haft approvals -f", about: "wait for questions" },
  ],
  run: async ({ options, operands, terminal }) => {
    if (operands.length > 0)
      throw new Misuse("haft approvals takes no operands. haft approve ID answers one.");
    return withLedger(options, terminal, async (ledger) => {
      const runId =
        options.run === undefined ? undefined : ((await findRunId(ledger, options.run)) ?? options.run);
      const filter: ApprovalFilter = {
        status: (options.status ?? "waiting") as ApprovalFilter["status"],
        runId,
      };
      const shown = await show(ledger, filter, terminal, options.json === true, options.follow === true);
      if (options.follow === true) await follow(ledger, filter, shown, terminal, options.json === true);
      return exitCodes.done;
    });
  },
});

const show = async (
  ledger: DurableLedger,
  filter: ApprovalFilter,
  terminal: Terminal,
  isJson: boolean,
  isFollowing: boolean,
): Promise<readonly ApprovalRecord[]> => {
  const now = terminal.now();
  const records = await approvalsOf(ledger, filter, now);
  if (isJson) for (const record of records) terminal.out(toJsonLine(record));
  else if (records.length > 0 || isFollowing) {
    const lines = records.map((record) => approvalLine(record, now));
    terminal.out(titled(approvalHead, lines, terminal));
    const hint = "haft approve ID or haft deny ID answers; then haft resume RUN AGENT goes on.";
    if (filter.status === "waiting") terminal.error(`${painter(terminal).dim(hint)}\n`);
  } else terminal.error(filter.status === "waiting" ? "Nothing waits for an answer.\n" : "No approvals.\n");
  return records;
};

const follow = async (
  ledger: DurableLedger,
  filter: ApprovalFilter,
  shown: readonly ApprovalRecord[],
  terminal: Terminal,
  isJson: boolean,
): Promise<void> => {
  let known = new Set(shown.map(keyOf));
  while (!terminal.signal.aborted) {
    const now = terminal.now();
    const records = await approvalsOf(ledger, filter, now);
    for (const record of records) {
      if (known.has(keyOf(record))) continue;
      const line = `${table([approvalLine(record, now)], terminal.width)}\n`;
      terminal.out(isJson ? toJsonLine(record) : line);
    }
    known = new Set(records.map(keyOf));
    await terminal.wait(every);
  }
};

const keyOf = ({ id, status }: ApprovalRecord): string => `${id} ${status}`;
