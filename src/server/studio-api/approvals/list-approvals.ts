import { listCurrentApprovals, withCurrentReason } from "../../../pipeline/pending/earlier-call-note.ts";
import { definitionHash } from "../../../tools/definition-hash.ts";
import { callerIdentityOf } from "../../../types/principal.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { maxRunEntries, taintSources, taintsReadBefore } from "../calls/show-call.ts";
import { toCallListItem } from "../calls/to-call-list-item.ts";
import { definedFields } from "../defined-fields.ts";
import { readChoice, readCount, readText } from "../read-query.ts";
import { type Approval, type ApprovalDetail, approvalStateSchema } from "../schemas/approvals.ts";
import type { Page } from "../schemas/shared.ts";
import { runLedger } from "../studio-services.ts";
import { toApproval } from "./to-approval.ts";
import { maskedPointers } from "./unmask-edit.ts";

export const approvalStatuses = [...approvalStateSchema.enum, "all"] as const;

/** Pending approvals oldest first, others newest first. */
export const listApprovals = async ({ studio, query }: ApiContext): Promise<Page<Approval>> => {
  const limit = readCount(query, "limit", 100, 500);
  const status = readChoice(query, "status", approvalStatuses) ?? "waiting";
  // The store may still list expired approvals as waiting.
  const storedStatus = status === "all" || status === "expired" ? undefined : status;
  const filter = {
    ...definedFields({ status: storedStatus, runId: readText(query, "run"), tool: readText(query, "tool") }),
  };
  const records = await runLedger(listCurrentApprovals(studio.ledger, { ...filter, limit: limit + 1 }));
  const items = records
    .slice(-limit)
    .map((record) => toApproval(studio, record))
    .filter((each) => status === "all" || (each.status === status && each.waitsFor === undefined))
    .sort((one, other) => (status === "waiting" ? one.askedAt - other.askedAt : other.askedAt - one.askedAt));
  return { items, hasMore: records.length > limit };
};

const maxEarlierCalls = 10;

export const showApproval = async ({ studio, params }: ApiContext): Promise<ApprovalDetail> => {
  const { ledger, redactor, shared } = studio;
  const record = await runLedger(ledger.approvals.find(params.id!));
  if (record === undefined) throw notFoundError(`approval "${params.id}"`);
  const { entryId, runId, tool, askedAt } = record;
  const [shown, [entry], callsBefore, runEntries] = await Promise.all([
    runLedger(withCurrentReason(ledger, record)),
    runLedger(ledger.entries({ entryId })),
    runLedger(ledger.entries({ tool, until: askedAt, limit: maxEarlierCalls + 1 })),
    runLedger(ledger.entries({ runId, limit: maxRunEntries })),
  ]);
  const registration = shared.registry.get(tool);
  const spec = registration?.tool.spec;
  const value = redactor.value(record.input);
  return {
    approval: toApproval(studio, shown),
    ...(value === undefined ? {} : { value }),
    masked: maskedPointers(value),
    ...(entry === undefined ? {} : { call: toCallListItem(entry) }),
    ...definedFields({ decision: entry?.decision }),
    ruleIds: entry?.ruleIds ?? [],
    ...(spec === undefined
      ? {}
      : {
          tool: {
            description: spec.description,
            risk: spec.risk,
            input: spec.input,
            readOnly: spec.annotations.readOnly === true,
            destructive: spec.annotations.destructive === true,
            hasChanged: definitionHash(spec) !== record.definition,
          },
        }),
    taints: taintSources(taintsReadBefore(runEntries, askedAt), runEntries, askedAt),
    earlierCalls: callsBefore
      .filter((each) => each.entryId !== entryId)
      .slice(-maxEarlierCalls)
      .map(toCallListItem)
      .reverse(),
    hasSession: callerIdentityOf(record.principal).session !== undefined,
  };
};
