import type { ApprovalRecord } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { findApproval } from "../approvals/find-approval.ts";
import { type ApprovalFilter, approvalLayouts, approvalsOf, statuses } from "../approvals/listing.ts";
import { showApproval } from "../approvals/show-approval.ts";
import { sheet } from "../columns.ts";
import { command, exitCodes, type Terminal } from "../command.ts";
import { jsonLines } from "../json-option.ts";
import { findRunId } from "../ledger/find-run.ts";
import { tooShort } from "../ledger/ids.ts";
import { bookOptions, every, type GivenBook, ledgerComes, withLedger } from "../ledger/open.ts";
import { Misuse } from "../misuse.ts";
import { sameLedger } from "../next-step.ts";
import { painter, plain, toJsonLine } from "../screen.ts";

interface GivenApprovals extends GivenBook {
  readonly status?: string;
  readonly run?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** What waits for a person. */
export const approvals = command({
  operands: "[ID]",
  options: {
    status: { type: "string", value: "WHICH", choices: statuses, about: "waiting unless given" },
    run: { type: "string", value: "RUN", about: "only calls of this run" },
    follow: { type: "boolean", short: "f", about: "go on with what comes, until Ctrl-C" },
    json: jsonLines("each call"),
    ...bookOptions,
  },
  examples: [
    { line: "haft approvals", about: "who wants to do what, and until when it can be answered" },
    { line: "haft approvals 1f0c9a2b", about: "one of them, with all of its arguments" },
    { line: "haft approvals --status used", about: "what was let through, and what holds for a session" },
    { line: "haft approvals --status all --json", about: "also what was answered, by whom" },
    { line: "haft approvals -f", about: "wait for questions" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [typed, ...more] = operands;
    if (more.length > 0)
      throw new Misuse("haft approvals takes one id, or none. haft approve answers several.");
    refuseTogether(options, typed);
    if (options.follow === true && !(await ledgerComes(options, terminal))) return exitCodes.done;
    return withLedger(options, terminal, "read", async (ledger) => {
      if (typed !== undefined) return showOne(ledger, typed, options.json === true, terminal);
      await list(ledger, options, terminal);
      return exitCodes.done;
    });
  },
});

/** Each does something else. */
const refuseTogether = (given: GivenApprovals, typed: string | undefined): void => {
  const other = (["status", "run", "follow"] as const).find((name) => given[name] !== undefined);
  if (typed !== undefined && other !== undefined) {
    throw new Misuse(`haft approvals shows one request, or lists some: --${other} goes without an id.`);
  }
};

const showOne = async (
  ledger: DurableLedger,
  typed: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<number> => {
  const record = await findApproval(ledger, typed, terminal.now());
  if (record === undefined) {
    throw new Error(
      `Nobody asked "${plain(typed)}".${tooShort(typed)} haft approvals --status all lists all.`,
    );
  }
  terminal.out(isJson ? toJsonLine(record) : showApproval(record, terminal));
  return exitCodes.done;
};

const list = async (ledger: DurableLedger, given: GivenApprovals, terminal: Terminal): Promise<void> => {
  const { run, json: isJson = false, follow: isFollowing = false } = given;
  const runId = run === undefined ? undefined : ((await findRunId(ledger, run)) ?? run);
  const filter: ApprovalFilter = {
    status: (given.status ?? "waiting") as ApprovalFilter["status"],
    runId,
  };
  const isAboutWaiting = filter.status === "waiting";
  const records = await approvalsOf(ledger, filter, terminal.now());
  const { head, line } = sheet(approvalLayouts(terminal.now), records, terminal);
  const tell = (record: ApprovalRecord): void => terminal.out(isJson ? toJsonLine(record) : line(record));
  if (!isJson && (records.length > 0 || isFollowing)) terminal.out(head);
  for (const record of records) tell(record);
  if (!isJson && records.length === 0 && !isFollowing)
    terminal.error(isAboutWaiting ? "Nothing waits for an answer.\n" : "No approvals.\n");
  if (!isJson && records.length > 0 && isAboutWaiting) tellNext(given, terminal);
  if (isFollowing) await follow(ledger, filter, records, terminal, tell);
};

const tellNext = (given: GivenApprovals, terminal: Terminal): void => {
  const same = sameLedger({ ...given });
  const hint = `haft approve ID${same} or haft deny ID${same} answers, and says how to go on.`;
  terminal.error(`${painter(terminal).dim(hint)}\n`);
};

const follow = async (
  ledger: DurableLedger,
  filter: ApprovalFilter,
  shown: readonly ApprovalRecord[],
  terminal: Terminal,
  tell: (record: ApprovalRecord) => void,
): Promise<void> => {
  let known = new Set(shown.map(keyOf));
  while (!terminal.signal.aborted) {
    const records = await approvalsOf(ledger, filter, terminal.now());
    for (const record of records) if (!known.has(keyOf(record))) tell(record);
    known = new Set(records.map(keyOf));
    await terminal.wait(every);
  }
};

const keyOf = ({ id, status }: ApprovalRecord): string => `${id} ${status}`;
