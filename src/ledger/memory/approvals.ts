import * as Effect from "effect/Effect";
import type { ApprovalBook, ApprovalDecision, ApprovalRecord, Taken } from "../../words/approval.ts";
import { afterAnswer, afterTake, fitsApproval, stands } from "../approval-steps.ts";
import { isEnded } from "../is-ended.ts";
import { unavailable } from "../refusals.ts";
import type { MemoryState } from "./row.ts";

/** Questions that live as long as their process. */
export const memoryApprovals = (state: MemoryState): ApprovalBook => {
  const { asked, rows, redactor } = state;
  const maskedDecision = (decision: ApprovalDecision): ApprovalDecision => {
    if (decision.kind === "edit") return { kind: "edit", input: redactor.value(decision.input) };
    if (decision.kind === "allow" || decision.reason === undefined) return decision;
    return { kind: "deny", reason: redactor.text(decision.reason) };
  };
  const shown = (record: ApprovalRecord): ApprovalRecord => ({
    ...record,
    callId: redactor.text(record.callId),
    rawTool: redactor.text(record.rawTool),
    reason: redactor.text(record.reason),
    input: redactor.value(record.input),
    ...(record.answeredBy === undefined ? {} : { answeredBy: redactor.text(record.answeredBy) }),
    ...(record.decision === undefined ? {} : { decision: maskedDecision(record.decision) }),
  });
  const write = (record: ApprovalRecord): void => {
    asked.set(record.id, record);
  };
  /** Other questions about the same call: nobody goes on with it a second time. */
  const annulOthers = ({ id, entryId }: ApprovalRecord): void => {
    for (const other of asked.values()) {
      const isOpen = other.status === "waiting" || other.status === "answered";
      if (other.entryId === entryId && other.id !== id && isOpen) write({ ...other, status: "void" });
    }
  };
  const take = (id: string, at: number): Taken => {
    const { kind, next } = afterTake(asked.get(id), at);
    if (next === undefined) return { kind } as Taken;
    const row = rows.get(next.entryId);
    if (kind === "taken" && (row === undefined || row.ending === "open" || isEnded(row.ending))) {
      write({ ...next, status: "void" });
      return { kind: "void" };
    }
    write(next);
    if (kind !== "taken") return { kind } as Taken;
    if (row !== undefined) row.ending = "open";
    annulOthers(next);
    return { kind, record: next };
  };
  return {
    isDurable: false,
    find: (id) =>
      Effect.sync(() => {
        const record = asked.get(id);
        return record === undefined ? undefined : shown(record);
      }),
    list: (query = {}) =>
      Effect.sync(() => {
        const found = [...asked.values()].filter((record) => fitsApproval(record, query)).map(shown);
        return query.limit === undefined ? found : found.slice(Math.max(0, found.length - query.limit));
      }),
    answer: (id, answering) =>
      Effect.sync(() => {
        const { answered, next } = afterAnswer(asked.get(id), answering);
        if (next !== undefined) write(next);
        return answered;
      }),
    take: (id, at) => Effect.sync(() => take(id, at)),
    annul: (id) =>
      Effect.suspend(() => {
        const record = asked.get(id);
        if (record === undefined) {
          return Effect.fail(unavailable(`There is no approval "${id}" that could be annulled.`));
        }
        write({ ...record, status: "void" });
        return Effect.void;
      }),
    standing: (call) =>
      Effect.sync(() => {
        const found = [...asked.values()].findLast((record) => stands(record, call));
        return found === undefined ? undefined : shown(found);
      }),
    refuse: () => Effect.void,
  };
};
