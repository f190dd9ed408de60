import { isDeepStrictEqual } from "node:util";
import { isObject, toPointer } from "../../../base/json/json-value.ts";
import { redactedMark } from "../../../base/json/secrets/span.ts";
import { listCurrentApprovals, withCurrentReason } from "../../../pipeline/pending/earlier-call-note.ts";
import { definitionHash } from "../../../tools/tool-definition.ts";
import { callerIdentityOf } from "../../../types/principal.ts";
import type { ApiContext } from "../api-context.ts";
import { notFoundError } from "../api-error.ts";
import { toCallListItem } from "../calls/list-calls.ts";
import { maxRunEntries, taintSources, taintsReadBefore } from "../calls/show-call.ts";
import { definedFields, readChoice, readCount, readText } from "../read-query.ts";
import { type Approval, type ApprovalDetail, approvalStateSchema } from "../schemas/approvals.ts";
import type { Page } from "../schemas/shared.ts";
import { runLedger } from "../studio-services.ts";
import { toApproval } from "./to-approval.ts";

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

type JsonPath = readonly (string | number)[];

export const maskedPointers = (value: unknown, path: JsonPath = []): readonly string[] => {
  if (typeof value === "string") return value.includes(redactedMark) ? [toPointer(path)] : [];
  if (Array.isArray(value)) return value.flatMap((item, i) => maskedPointers(item, [...path, i]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name.includes(redactedMark) ? [toPointer([...path, name])] : maskedPointers(member, [...path, name]),
  );
};

/**
 * Restores masked values that the edit left unchanged. Undefined if an original value is unknown, because the
 * mask or another secret would reach the tool.
 */
export const unmaskEdit = (
  edit: unknown,
  shown: unknown,
  exact: unknown,
): { readonly value: unknown } | undefined => {
  if (maskedPointers(edit).length === 0) return { value: edit };
  // Also covers masked member names.
  if (isDeepStrictEqual(edit, shown)) return exact === undefined ? undefined : { value: exact };
  if (Array.isArray(edit)) return unmaskListEdit(edit, shown, exact);
  if (!isObject(edit)) return undefined;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(edit)) {
    const unmaskedMember = name.includes(redactedMark)
      ? undefined
      : unmaskEdit(member, memberAt(shown, name), memberAt(exact, name));
    if (unmaskedMember === undefined) return undefined;
    members.push([name, unmaskedMember.value]);
  }
  return { value: Object.fromEntries(members) };
};

/** Items may have moved, so a masked item is restored only if all equal shown items had the same value. */
const unmaskListEdit = (
  edit: readonly unknown[],
  shown: unknown,
  exact: unknown,
): { readonly value: unknown } | undefined => {
  if (!Array.isArray(shown) || !Array.isArray(exact)) return undefined;
  const items: unknown[] = [];
  for (const item of edit) {
    if (maskedPointers(item).length === 0) {
      items.push(item);
      continue;
    }
    const alike = exact.filter((_, i) => isDeepStrictEqual(shown[i], item));
    if (alike.length === 0 || !alike.every((each) => isDeepStrictEqual(each, alike[0]))) return undefined;
    items.push(alike[0]);
  }
  return { value: items };
};

const memberAt = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string | number, unknown>>)[key]
    : undefined;

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
