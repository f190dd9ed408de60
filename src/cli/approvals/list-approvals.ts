import { listCurrentApprovals, withCurrentReason } from "../../pipeline/pending/earlier-call-note.ts";
import type { ApprovalRecord, ApprovalStatus } from "../../types/approval.ts";
import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { Column, TableLayout } from "../fit-table.ts";
import { findById, formatElapsed, shortId, throwAmbiguousId } from "../ledger/short-id.ts";
import { queryLedger } from "../ledger/with-ledger.ts";
import { plainText } from "../screen.ts";
import { describeApprovalState } from "./describe-answer.ts";

export const approvalStatusFilters = ["waiting", "answered", "used", "expired", "void", "all"] as const;

export interface ApprovalFilter {
  readonly status: (typeof approvalStatusFilters)[number];
  readonly runId?: string | undefined;
}

/** The ledger may still store a request past its deadline as waiting. */
export const withExpiry = (record: ApprovalRecord, now: number): ApprovalRecord => {
  const { status, expiresAt } = record;
  return status === "waiting" && expiresAt !== undefined && expiresAt <= now
    ? { ...record, status: "expired" }
    : record;
};

/** Records with `waitsFor` are programs, which need no answer: only `all` lists them. */
export const listApprovalRecords = async (
  ledger: DurableLedger,
  { status, runId }: ApprovalFilter,
  now: number,
): Promise<readonly ApprovalRecord[]> => {
  const storedStatus: ApprovalStatus | undefined =
    status === "all" || status === "expired" ? undefined : status;
  const query = {
    ...(storedStatus === undefined ? {} : { status: storedStatus }),
    ...(runId === undefined ? {} : { runId }),
  };
  const records = (await queryLedger(listCurrentApprovals(ledger, query))).map((record) =>
    withExpiry(record, now),
  );
  return records
    .filter((record) => status === "all" || (record.status === status && record.waitsFor === undefined))
    .sort((one, other) => one.askedAt - other.askedAt);
};

export const approvalLayouts = (now: () => number): readonly TableLayout<ApprovalRecord>[] => {
  const id: Column<ApprovalRecord> = { title: "ID", cell: (record) => shortId(record.id) };
  const asked: Column<ApprovalRecord> = {
    title: "ASKED",
    cell: ({ askedAt }) => `${formatElapsed(now() - askedAt)} ago`,
    floor: 10,
  };
  const expires: Column<ApprovalRecord> = {
    title: "EXPIRES",
    cell: (record) => expiryText(record, now()),
    floor: 9,
  };
  const run: Column<ApprovalRecord> = { title: "RUN", cell: ({ runId }) => shortId(runId), most: 20 };
  const agent: Column<ApprovalRecord> = {
    title: "AGENT",
    cell: ({ principal }) => plainText(principal.agent),
    most: 24,
  };
  const tool: Column<ApprovalRecord> = { title: "TOOL", cell: (record) => plainText(record.tool), most: 40 };
  const input: Column<ApprovalRecord> = {
    title: "ARGUMENTS",
    cell: (record) => plainText(approvalArgumentsText(record)),
    least: 24,
  };
  const why: Column<ApprovalRecord> = { title: "WHY", cell: approvalReasonText };
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

export const approvalArgumentsText = ({ input, decision }: ApprovalRecord, indent?: number): string =>
  JSON.stringify(decision?.kind === "edit" ? decision.input : input, null, indent) ?? "";

export const expiryText = ({ status, expiresAt }: ApprovalRecord, now: number): string => {
  if (status !== "waiting") return status;
  return expiresAt === undefined ? "never" : `in ${formatElapsed(expiresAt - now)}`;
};

const approvalReasonText = (record: ApprovalRecord): string =>
  plainText(
    record.status === "waiting" ? record.reason : `${describeApprovalState(record)} (${record.reason})`,
  );

/** Of several matches for a short id, the waiting request is preferred. */
export const findApproval = async (
  ledger: DurableLedger,
  typed: string,
  now: number,
): Promise<ApprovalRecord | undefined> => {
  const exact = await queryLedger(ledger.approvals.find(typed));
  if (exact !== undefined) return withExpiry(await queryLedger(withCurrentReason(ledger, exact)), now);
  const all = (await queryLedger(listCurrentApprovals(ledger))).map((record) => withExpiry(record, now));
  const found = findById(typed, all, ({ id }) => id);
  const waiting = found.filter(({ status }) => status === "waiting");
  const candidates = waiting.length > 0 ? waiting : found;
  if (candidates.length > 1) {
    throwAmbiguousId(
      typed,
      "approvals",
      candidates.map(({ id }) => id),
    );
  }
  return candidates[0];
};
