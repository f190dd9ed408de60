import type { ApprovalRecord, ApprovalStatus } from "../../../types/approval.ts";
import { isTrustedRow, withPreviousHash } from "../chain/chain-keys.ts";
import { chainOf, type LinkedRow, readSignedRow } from "../chain/signed-row.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { ChainApproval } from "./approval-row.ts";

export type ChainReadContext = Pick<DurableStore, "dialect" | "chainKeys">;

/**
 * Must equal the condition of the partial index. Listing the kinds instead would cost other rows more than a
 * microsecond.
 */
export const rareRowsSql = "kind <> 'opened' AND kind <> 'started' AND kind <> 'closed'";

type ApprovalBody = Readonly<Record<string, unknown>> & { readonly id: string };

/** Per row kind, the required and the resulting status. Any status can be annulled. */
const transitions: Readonly<Record<string, readonly [from: ApprovalStatus | undefined, to: ApprovalStatus]>> =
  {
    answered: ["waiting", "answered"],
    expired: ["waiting", "expired"],
    used: ["answered", "used"],
    annulled: [undefined, "void"],
  };

/** If one row of an entry is untrusted or contradicts earlier rows, none of its approvals is returned. */
export function* readApprovalHistories(
  reading: ChainReadContext,
  entryIds: readonly string[],
): Script<ReadonlyMap<string, ChainApproval>> {
  const found = new Map<string, ChainApproval>();
  const broken = new Set<string | null>();
  if (entryIds.length === 0) return found;
  const rows = yield {
    sql: withPreviousHash(
      `SELECT * FROM haft_records WHERE entry_id ${reading.dialect.amongTexts} AND ${rareRowsSql}`,
    ),
    values: [JSON.stringify(entryIds)],
  };
  for (const row of sortByKind(rows)) {
    const link = readSignedRow(row);
    const body = (yield* isTrustedRow(reading.chainKeys, row))
      ? (JSON.parse(link.body) as ApprovalBody)
      : undefined;
    const next = body === undefined ? undefined : applyHistoryRow(found.get(body.id), link, body, reading);
    if (body === undefined || next === undefined) broken.add(link.entryId);
    else found.set(body.id, next);
  }
  for (const [id, { record }] of found) if (broken.has(record.entryId)) found.delete(id);
  return found;
}

/** Requests and answers may be in different chains, and sequence numbers order rows only within one. */
const kindOrder = ["asked", "answered", "expired", "used", "annulled"];

const sortByKind = (rows: readonly Row[]): readonly Row[] =>
  rows
    .filter(({ kind }) => kindOrder.includes(String(kind)))
    .toSorted((one, other) => rankOf(one) - rankOf(other) || Number(one.seq) - Number(other.seq));

const rankOf = ({ kind }: Row): number => kindOrder.indexOf(String(kind));

const applyHistoryRow = (
  kept: ChainApproval | undefined,
  link: LinkedRow,
  body: ApprovalBody,
  { chainKeys }: ChainReadContext,
): ChainApproval | undefined => {
  if (link.kind === "asked") return kept === undefined ? readRequestRow(link, body) : undefined;
  const [from, status] = transitions[link.kind] ?? [];
  if (kept === undefined || status === undefined || link.entryId !== kept.record.entryId) return undefined;
  if (from !== undefined && from !== kept.record.status) return undefined;
  if (chainOf(link.seq) === chainOf(kept.lastSeq) && link.seq < kept.lastSeq) return undefined;
  const record: ApprovalRecord = { ...kept.record, status };
  if (link.kind !== "answered") return { ...kept, record, lastSeq: link.seq };
  const { by, decision, at, isExact } = body;
  const said = {
    decision,
    ...(by === undefined ? {} : { answeredBy: by }),
    ...(at === undefined ? {} : { answeredAt: at }),
  } as Partial<ApprovalRecord>;
  const isAnswerProved = link.keyId !== null || chainKeys.newest === undefined;
  return {
    ...kept,
    record: { ...record, ...said },
    isEditExact: isExact === true,
    isAnswerProved,
    lastSeq: link.seq,
  };
};

const readRequestRow = ({ seq, at, entryId, runId }: LinkedRow, body: ApprovalBody): ChainApproval => {
  const { isExact, expiresAt, ...rest } = body;
  return {
    record: {
      ...(rest as unknown as ApprovalRecord),
      entryId: String(entryId),
      runId: String(runId),
      askedAt: at,
      expiresAt: expiresAt as number | undefined,
      status: "waiting",
    },
    isExact: isExact === true,
    isEditExact: true,
    isAnswerProved: true,
    askedSeq: seq,
    lastSeq: seq,
  };
};
