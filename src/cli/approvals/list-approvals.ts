import type { ApprovalRecord, ApprovalStatus } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import type { Column, Layout } from "../columns.ts";
import { shortId } from "../ledger/ids.ts";
import { ask } from "../ledger/open.ts";
import { lasting } from "../ledger/times.ts";
import { plain } from "../screen.ts";
import { stateOf } from "./answer-of.ts";

export const statuses = ["waiting", "answered", "used", "expired", "void", "all"] as const;

export interface ApprovalFilter {
  readonly status: (typeof statuses)[number];
  readonly runId?: string | undefined;
}

/** A question whose time is up waits no longer, whether or not somebody has written that down. */
export const asOf = (record: ApprovalRecord, now: number): ApprovalRecord => {
  const { status, expiresAt } = record;
  return status === "waiting" && expiresAt !== undefined && expiresAt <= now
    ? { ...record, status: "expired" }
    : record;
};

/** Oldest first. A program that waits for answers about its calls is no question, and stands only among all. */
export const approvalsOf = async (
  ledger: DurableLedger,
  { status, runId }: ApprovalFilter,
  now: number,
): Promise<readonly ApprovalRecord[]> => {
  // Those that expired by the clock alone are still kept as waiting.
  const kept: ApprovalStatus | undefined = status === "all" || status === "expired" ? undefined : status;
  const query = {
    ...(kept === undefined ? {} : { status: kept }),
    ...(runId === undefined ? {} : { runId }),
  };
  const records = (await ask(ledger.approvals.list(query))).map((record) => asOf(record, now));
  return records
    .filter((record) => status === "all" || (record.status === status && record.waitsFor === undefined))
    .sort((one, other) => one.askedAt - other.askedAt);
};

/** One question in a line: what a person must know to answer it. Where there is little room, the arguments stay. */
export const approvalLayouts = (now: () => number): readonly Layout<ApprovalRecord>[] => {
  const id: Column<ApprovalRecord> = { title: "ID", cell: (record) => shortId(record.id) };
  const asked: Column<ApprovalRecord> = {
    title: "ASKED",
    cell: ({ askedAt }) => `${lasting(now() - askedAt)} ago`,
    floor: 10,
  };
  const expires: Column<ApprovalRecord> = {
    title: "EXPIRES",
    cell: (record) => expiryOf(record, now()),
    floor: 9,
  };
  const run: Column<ApprovalRecord> = { title: "RUN", cell: ({ runId }) => shortId(runId), most: 20 };
  const agent: Column<ApprovalRecord> = {
    title: "AGENT",
    cell: ({ principal }) => plain(principal.agent),
    most: 24,
  };
  const tool: Column<ApprovalRecord> = { title: "TOOL", cell: (record) => plain(record.tool), most: 40 };
  const input: Column<ApprovalRecord> = {
    title: "ARGUMENTS",
    cell: (record) => plain(argumentsOf(record)),
    least: 24,
  };
  const why: Column<ApprovalRecord> = { title: "WHY", cell: whyOf };
  const [shortTool, shortWhy] = [
    { ...tool, most: 12 },
    { ...why, most: 20 },
  ];
  return [
    [id, run, asked, expires, agent, tool, input, why],
    [id, run, expires, agent, tool, input, { ...why, most: 40 }],
    [id, run, expires, shortTool, input, shortWhy],
    [id, run, shortTool, input, shortWhy],
    [id, run, shortTool, input],
    [id, input],
  ];
};

/** The arguments that count: those that a person put in place of the first, if one did. */
export const argumentsOf = ({ input, decision }: ApprovalRecord, indent?: number): string =>
  JSON.stringify(decision?.kind === "edit" ? decision.input : input, null, indent) ?? "";

export const expiryOf = ({ status, expiresAt }: ApprovalRecord, now: number): string => {
  if (status !== "waiting") return status;
  return expiresAt === undefined ? "never" : `in ${lasting(expiresAt - now)}`;
};

const whyOf = (record: ApprovalRecord): string =>
  plain(record.status === "waiting" ? record.reason : `${stateOf(record)} (${record.reason})`);
