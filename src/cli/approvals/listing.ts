import type { ApprovalRecord, ApprovalStatus } from "../../words/approval.ts";
import type { DurableLedger } from "../../words/durable-ledger.ts";
import { shortId } from "../ledger/ids.ts";
import { ask } from "../ledger/open.ts";
import { lasting } from "../ledger/times.ts";
import { plain, shorten } from "../screen.ts";
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

/** Oldest first. */
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
    .filter((record) => status === "all" || record.status === status)
    .sort((one, other) => one.askedAt - other.askedAt);
};

export const approvalHead = ["ID", "ASKED", "EXPIRES", "AGENT", "TOOL", "ARGUMENTS", "WHY"];

/** One question in a line: what a person must know to answer it. */
export const approvalLine = (record: ApprovalRecord, now: number): readonly string[] => [
  shortId(record.id),
  `${lasting(now - record.askedAt)} ago`.padEnd(10),
  expiry(record, now).padEnd(9),
  shorten(record.principal.agent, 24),
  shorten(record.tool, 40),
  shorten(argumentsOf(record), 80),
  record.status === "waiting" ? plain(record.reason) : plain(`${stateOf(record)} (${record.reason})`),
];

export const argumentsOf = ({ input }: ApprovalRecord): string => JSON.stringify(input) ?? "";

const expiry = ({ status, expiresAt }: ApprovalRecord, now: number): string => {
  if (status !== "waiting") return status;
  return expiresAt === undefined ? "never" : `in ${lasting(expiresAt - now)}`;
};
