import { type RunRecord, runKindRulesOf } from "../types/run-store.ts";
import { isResumable } from "./held-run-leases.ts";

/**
 * What continues a call or its run after an answer: its driver (session, chat, worker), the process that holds
 * the run, any process with its tools (`caller`), the MCP client that calls again (`client`), or nothing yet
 * because other approvals are open (`approvals`). `none`: the run's messages are not stored.
 */
export type Continuation =
  | "session"
  | "chat"
  | "worker"
  | "approvals"
  | "client"
  | "holder"
  | "caller"
  | "none";

export const findContinuation = (
  runId: string,
  run: RunRecord | undefined,
  openApprovals: number,
): Continuation => {
  const { resumedBy } = runKindRulesOf(runId);
  if (resumedBy === "session" || resumedBy === "chat") return resumedBy;
  if (run === undefined && resumedBy === "caller") return "client";
  if (openApprovals > 0) return "approvals";
  if (resumedBy === "worker") return "worker";
  if (run === undefined || resumedBy === "none") return "none";
  if (run.isHeld === true || !isResumable(run.status)) return "holder";
  return run.messages.length === 0 ? "none" : "caller";
};
