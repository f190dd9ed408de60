import { definitionHash } from "../../tool/definition-hash.ts";
import { partyOf } from "../../words/principal.ts";
import { given, toCallLine } from "../calls/call-line.ts";
import { mostOfRun, readBy, taintSources } from "../calls/show-call.ts";
import { notFound } from "../refused.ts";
import { readCount, readName, readWord } from "../request/read-query.ts";
import type { Visit } from "../visit.ts";
import type { Approval, ApprovalDetail } from "../words/approvals.ts";
import type { Page } from "../words/shared.ts";
import { ask } from "../world.ts";
import { maskedPlaces } from "./read-edit.ts";
import { toApproval } from "./to-approval.ts";

export const approvalStates = ["waiting", "answered", "used", "expired", "void", "all"] as const;

/** What waits, oldest first; of anything else the newest first. A program that waits for its calls is no question. */
export const listApprovals = async ({ world, query }: Visit): Promise<Page<Approval>> => {
  const limit = readCount(query, "limit", 100, 500);
  const status = readWord(query, "status", approvalStates) ?? "waiting";
  // One that expired by the clock alone is still kept as waiting.
  const kept = status === "all" || status === "expired" ? undefined : status;
  const asked = { ...given({ status: kept, runId: readName(query, "run"), tool: readName(query, "tool") }) };
  const records = await ask(world.ledger.approvals.list({ ...asked, limit: limit + 1 }));
  const items = records
    .slice(-limit)
    .map((record) => toApproval(world, record))
    .filter((each) => status === "all" || (each.status === status && each.waitsFor === undefined))
    .sort((one, other) => (status === "waiting" ? one.askedAt - other.askedAt : other.askedAt - one.askedAt));
  return { items, isCut: records.length > limit };
};

/** So many earlier calls of the tool are shown. */
const mostBefore = 10;

/** Everything that a person decides by. */
export const showApproval = async ({ world, params }: Visit): Promise<ApprovalDetail> => {
  const { ledger, redactor, shared } = world;
  const record = await ask(ledger.approvals.find(params.id!));
  if (record === undefined) throw notFound(`approval "${params.id}"`);
  const { entryId, runId, tool, askedAt } = record;
  const [[entry], before, ofRun] = await Promise.all([
    ask(ledger.entries({ entryId })),
    ask(ledger.entries({ tool, until: askedAt, limit: mostBefore + 1 })),
    ask(ledger.entries({ runId, limit: mostOfRun })),
  ]);
  const registration = shared.registry.get(tool);
  const spec = registration?.tool.spec;
  const value = redactor.value(record.input);
  return {
    approval: toApproval(world, record),
    ...(value === undefined ? {} : { value }),
    masked: maskedPlaces(value),
    ...(entry === undefined ? {} : { call: toCallLine(entry) }),
    ...given({ decision: entry?.decision }),
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
    taints: taintSources(readBy(ofRun, askedAt), ofRun, askedAt),
    before: before
      .filter((each) => each.entryId !== entryId)
      .slice(-mostBefore)
      .map(toCallLine)
      .reverse(),
    hasSession: partyOf(record.principal).session !== undefined,
  };
};
