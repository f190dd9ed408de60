import * as Effect from "effect/Effect";
import type {
  ApprovalDecision,
  ApprovalRecord,
  ApprovalStore,
  TakeApprovalResult,
} from "../../types/approval.ts";
import { applyAnswer, applyTake, isGrantFor, matchesApprovalQuery } from "../approval-transitions.ts";
import { ledgerUnavailable } from "../ledger-errors.ts";
import { isFinalEnding } from "../settled-closing.ts";
import type { MemoryState } from "./memory-row.ts";

export const createMemoryApprovals = (state: MemoryState): ApprovalStore => {
  const { asked: approvals, rows, redactor } = state;
  const maskedDecision = (decision: ApprovalDecision): ApprovalDecision => {
    if (decision.kind === "edit") return { kind: "edit", input: redactor.value(decision.input) };
    if (decision.kind === "allow" || decision.reason === undefined) return decision;
    return { kind: "deny", reason: redactor.text(decision.reason) };
  };
  const toShownRecord = (record: ApprovalRecord): ApprovalRecord => ({
    ...record,
    callId: redactor.text(record.callId),
    rawTool: redactor.text(record.rawTool),
    reason: redactor.text(record.reason),
    input: redactor.value(record.input),
    ...(record.answeredBy === undefined ? {} : { answeredBy: redactor.text(record.answeredBy) }),
    ...(record.decision === undefined ? {} : { decision: maskedDecision(record.decision) }),
  });
  const write = (record: ApprovalRecord): void => {
    approvals.set(record.id, record);
  };
  /** The call must continue only once. */
  const annulOthers = ({ id, entryId }: ApprovalRecord): void => {
    for (const other of approvals.values()) {
      const isOpen = other.status === "waiting" || other.status === "answered";
      if (other.entryId === entryId && other.id !== id && isOpen) write({ ...other, status: "void" });
    }
  };
  const take = (id: string, at: number): TakeApprovalResult => {
    const { kind, next } = applyTake(approvals.get(id), at);
    if (next === undefined) return { kind } as TakeApprovalResult;
    const row = rows.get(next.entryId);
    if (kind === "taken" && (row === undefined || row.ending === "open" || isFinalEnding(row.ending))) {
      write({ ...next, status: "void" });
      return { kind: "void" };
    }
    write(next);
    if (kind !== "taken") return { kind } as TakeApprovalResult;
    if (row !== undefined) row.ending = "open";
    annulOthers(next);
    return { kind, record: next };
  };
  return {
    isDurable: false,
    find: (id) =>
      Effect.sync(() => {
        const record = approvals.get(id);
        return record === undefined ? undefined : toShownRecord(record);
      }),
    list: (query = {}) =>
      Effect.sync(() => {
        const found = [...approvals.values()]
          .filter((record) => matchesApprovalQuery(record, query))
          .map(toShownRecord);
        return query.limit === undefined ? found : found.slice(Math.max(0, found.length - query.limit));
      }),
    answer: (id, answering) =>
      Effect.sync(() => {
        const { answered, next } = applyAnswer(approvals.get(id), answering);
        if (next !== undefined) write(next);
        return answered;
      }),
    take: (id, at) => Effect.sync(() => take(id, at)),
    annul: (id) =>
      Effect.suspend(() => {
        const record = approvals.get(id);
        if (record === undefined) {
          return Effect.fail(
            ledgerUnavailable(`The approval "${id}" cannot be annulled: it is unknown or no longer open.`),
          );
        }
        write({ ...record, status: "void" });
        return Effect.void;
      }),
    standing: (call) =>
      Effect.sync(() => {
        const found = [...approvals.values()].findLast((record) => isGrantFor(record, call));
        return found === undefined ? undefined : toShownRecord(found);
      }),
    refuse: () => Effect.void,
  };
};
