import type { ApprovalRecord } from "../../types/approval.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import { callerIdentityOf } from "../../types/principal.ts";
import { describeApprovalState } from "../approvals/describe-answer.ts";
import {
  type ApprovalFilter,
  approvalArgumentsText,
  approvalLayouts,
  approvalStatusFilters,
  expiryText,
  findApproval,
  listApprovalRecords,
} from "../approvals/list-approvals.ts";
import { CommandUsageError, command, exitCodes, jsonLines, type Terminal } from "../command.ts";
import { fitTable } from "../fit-table.ts";
import { findRunId } from "../ledger/find-run.ts";
import { formatTime, shortIdHint } from "../ledger/short-id.ts";
import {
  type LedgerFlags,
  ledgerOptions,
  ledgerPollMs,
  waitForLedger,
  withLedger,
} from "../ledger/with-ledger.ts";
import { repeatLedgerFlags } from "../repeat-flags.ts";
import { alignColumns, painter, plainText, toJsonLine } from "../screen.ts";

interface ApprovalsFlags extends LedgerFlags {
  readonly status?: string;
  readonly run?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export const approvals = command({
  operands: "[ID]",
  options: {
    status: { type: "string", value: "WHICH", choices: approvalStatusFilters, about: "default waiting" },
    run: { type: "string", value: "RUN", about: "only calls of this run" },
    follow: { type: "boolean", short: "f", about: "print new entries until Ctrl-C" },
    json: jsonLines("each call"),
    ...ledgerOptions,
  },
  examples: [
    { line: "haft approvals", about: "pending requests: caller, call and expiry" },
    { line: "haft approvals 1f0c9a2b", about: "one request, with all arguments" },
    { line: "haft approvals --status used", about: "approved calls that ran, and session grants" },
    { line: "haft approvals --status all --json", about: "all requests, with their answers and approvers" },
    { line: "haft approvals -f", about: "watch for new requests" },
  ],
  onlyTells: true,
  run: async ({ options, operands, terminal }) => {
    const [typed, ...more] = operands;
    if (more.length > 0)
      throw new CommandUsageError(
        "haft approvals accepts at most one id. Use haft approve to answer several.",
      );
    checkExclusiveFlags(options, typed);
    if (options.follow === true && !(await waitForLedger(options, terminal))) return exitCodes.done;
    return withLedger(options, terminal, "read", async (ledger) => {
      if (typed !== undefined) return printApproval(ledger, typed, options.json === true, terminal);
      await printApprovals(ledger, options, terminal);
      return exitCodes.done;
    });
  },
});

const checkExclusiveFlags = (flags: ApprovalsFlags, typed: string | undefined): void => {
  const other = (["status", "run", "follow"] as const).find((name) => flags[name] !== undefined);
  if (typed !== undefined && other !== undefined) {
    throw new CommandUsageError(
      `haft approvals shows one request or lists requests: --${other} cannot be combined with an id.`,
    );
  }
};

const printApproval = async (
  ledger: DurableLedger,
  typed: string,
  isJson: boolean,
  terminal: Terminal,
): Promise<number> => {
  const record = await findApproval(ledger, typed, terminal.now());
  if (record === undefined) {
    throw new Error(
      `There is no approval request "${plainText(typed)}".${shortIdHint(typed)} haft approvals --status all lists all.`,
    );
  }
  terminal.out(isJson ? toJsonLine(record) : formatApproval(record, terminal));
  return exitCodes.done;
};

const formatApproval = (record: ApprovalRecord, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { id, tool, runId, callId, entryId, reason, askedAt, expiresAt, principal, decision } = record;
  const { agent, user, tenant, session } = callerIdentityOf(principal);
  const isLimited = record.status === "waiting" && expiresAt !== undefined;
  const expiry = expiryText(record, terminal.now()) + (isLimited ? `, ${formatTime(expiresAt)}` : "");
  const facts = [
    ["why", reason],
    ["answer", describeApprovalState(record)],
    ["agent", agent],
    ["user", user],
    ["tenant", tenant],
    ["session", session],
    ["asked", formatTime(askedAt)],
    ["expires", record.status === "waiting" ? expiry : undefined],
    ["run", runId],
    ["call", callId],
    ["entry", entryId],
    ["definition", record.definition],
  ].flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, plainText(value)]]));
  const isEdited = decision?.kind === "edit";
  return [
    `${bold(plainText(tool))} ${id}`,
    alignColumns(facts, Number.POSITIVE_INFINITY),
    "",
    dim(isEdited ? "  arguments, as edited" : "  arguments"),
    indentLines(approvalArgumentsText(record, 2)),
    ...(isEdited
      ? [dim("  the requested arguments"), indentLines(JSON.stringify(record.input, null, 2))]
      : []),
    "",
  ].join("\n");
};

const indentLines = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${plainText(line)}`)
    .join("\n");

const printApprovals = async (
  ledger: DurableLedger,
  flags: ApprovalsFlags,
  terminal: Terminal,
): Promise<void> => {
  const { run, json: isJson = false, follow: isFollowing = false } = flags;
  const runId = run === undefined ? undefined : ((await findRunId(ledger, run)) ?? run);
  const filter: ApprovalFilter = {
    status: (flags.status ?? "waiting") as ApprovalFilter["status"],
    runId,
  };
  const isAboutWaiting = filter.status === "waiting";
  const records = await listApprovalRecords(ledger, filter, terminal.now());
  const { head, line } = fitTable(approvalLayouts(terminal.now), records, terminal);
  const tell = (record: ApprovalRecord): void => terminal.out(isJson ? toJsonLine(record) : line(record));
  if (!isJson && (records.length > 0 || isFollowing)) terminal.out(head);
  for (const record of records) tell(record);
  if (!isJson && records.length === 0 && !isFollowing)
    terminal.error(isAboutWaiting ? "There are no pending approval requests.\n" : "No approvals.\n");
  if (!isJson && records.length > 0 && isAboutWaiting) printAnswerHint(flags, terminal);
  if (isFollowing) await followApprovals(ledger, filter, records, terminal, tell);
};

const printAnswerHint = (flags: ApprovalsFlags, terminal: Terminal): void => {
  const same = repeatLedgerFlags({ ...flags });
  const hint = `Answer with haft approve ID${same} or haft deny ID${same}.`;
  terminal.error(`${painter(terminal).dim(hint)}\n`);
};

const followApprovals = async (
  ledger: DurableLedger,
  filter: ApprovalFilter,
  shown: readonly ApprovalRecord[],
  terminal: Terminal,
  tell: (record: ApprovalRecord) => void,
): Promise<void> => {
  let known = new Set(shown.map(approvalKey));
  while (!terminal.signal.aborted) {
    const records = await listApprovalRecords(ledger, filter, terminal.now());
    for (const record of records) if (!known.has(approvalKey(record))) tell(record);
    known = new Set(records.map(approvalKey));
    await terminal.wait(ledgerPollMs);
  }
};

const approvalKey = ({ id, status }: ApprovalRecord): string => `${id} ${status}`;
