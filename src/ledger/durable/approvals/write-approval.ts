import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { ApprovalDecision, ApprovalRecord } from "../../../types/approval.ts";
import type { Principal } from "../../../types/principal.ts";
import type { Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { EntryState } from "../entry-state.ts";
import { sealLazily } from "../payloads/vault.ts";
import { type RowTexts, toStorableName } from "../row-texts.ts";
import type { Transaction } from "../transaction.ts";
import { approvalColumns, toApprovalRow } from "./approval-row.ts";

export const toShownPrincipal = (principal: Principal | undefined) =>
  principal === undefined
    ? undefined
    : {
        agent: principal.agent,
        session: principal.session,
        user: principal.user,
        tenant: principal.tenant,
      };

export const toShownDecision = (
  rowTexts: RowTexts,
  decision: ApprovalDecision,
): { readonly decision: ApprovalDecision; readonly isExact: boolean } => {
  if (decision.kind === "edit") {
    const { shown, isExact } = rowTexts.value(decision.input);
    return { decision: { kind: "edit", input: shown }, isExact };
  }
  if (decision.kind === "allow" || decision.reason === undefined) return { decision, isExact: true };
  return { decision: { kind: "deny", reason: rowTexts.text(decision.reason) }, isExact: true };
};

const toShownRecord = ({ rowTexts, clock }: DurableStore, asked: ApprovalRecord) => {
  const { shown, isExact } = rowTexts.value(asked.input);
  const said = asked.decision === undefined ? undefined : toShownDecision(rowTexts, asked.decision);
  const { id, entryId, runId, inputHash, askedAt, status, answeredBy, answeredAt, trace, waitsFor } = asked;
  // The server clock later decides whether an answer is late.
  const expiresAt = asked.expiresAt === undefined ? undefined : clock.toServerTime(asked.expiresAt);
  const record: ApprovalRecord = {
    ...{ id, entryId, runId, inputHash, askedAt, expiresAt, status },
    tool: toStorableName(asked.tool),
    definition: toStorableName(asked.definition),
    callId: rowTexts.name(asked.callId),
    rawTool: rowTexts.name(asked.rawTool),
    reason: rowTexts.text(asked.reason),
    principal: rowTexts.known(asked.principal),
    input: shown,
    ...(said === undefined ? {} : { decision: said.decision }),
    ...(answeredBy === undefined ? {} : { answeredBy: rowTexts.name(answeredBy) }),
    ...(answeredAt === undefined ? {} : { answeredAt }),
    ...(trace === undefined ? {} : { trace: toStorableName(trace) }),
    ...(waitsFor === undefined ? {} : { waitsFor: waitsFor.map(toStorableName) }),
  };
  return { record, isExact, isEditExact: said?.isExact ?? true };
};

export const toAnswerBody = (
  { id, decision, answeredBy, answeredAt }: ApprovalRecord,
  isExact: boolean,
): string => canonicalJson({ id, decision: toPlainJson(decision), by: answeredBy, at: answeredAt, isExact });

export interface ApprovalWrite {
  readonly run: (transaction: Transaction, entry: EntryState) => Script<void>;
  readonly discard: () => void;
}

/** An id is written only once. */
export const createApprovalWrite = (store: DurableStore, asked: ApprovalRecord): ApprovalWrite => {
  const { record, isExact, isEditExact } = toShownRecord(store, asked);
  const { id, status, decision, askedAt: at } = record;
  const text = isExact || status !== "waiting" ? undefined : JSON.stringify(asked.input);
  const sealed = sealLazily(store.vault, text, `${id}/approval`);
  const body = canonicalJson({
    id,
    callId: record.callId,
    tool: record.tool,
    rawTool: record.rawTool,
    definition: record.definition,
    input: toPlainJson(record.input),
    inputHash: record.inputHash,
    isExact,
    reason: record.reason,
    expiresAt: record.expiresAt,
    principal: record.principal,
    trace: record.trace,
    waitsFor: record.waitsFor,
  });
  return {
    discard: sealed.discard,
    *run(transaction, entry) {
      const { entryId, runId } = entry;
      if ((yield { sql: "SELECT 1 FROM haft_approvals WHERE id = ?", values: [id] }).length > 0) return;
      const input = sealed.get();
      const seq = transaction.append({ at, kind: "asked", entryId, runId, body });
      if (decision !== undefined) {
        transaction.append({ at, kind: "answered", entryId, runId, body: toAnswerBody(record, isEditExact) });
      }
      if (status === "used")
        transaction.append({ at, kind: "used", entryId, runId, body: canonicalJson({ id }) });
      const row = toApprovalRow({ ...record, entryId, runId }, seq);
      yield { insert: "haft_approvals", columns: approvalColumns, rows: [row] };
      if (input === undefined) return;
      transaction.keep([entryId, `approval:${id}`, runId, ...input]);
      transaction.change(entry, { payloads: true });
    },
  };
};

export const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");
