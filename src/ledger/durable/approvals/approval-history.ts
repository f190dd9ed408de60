import type { ApprovalRecord, ApprovalStatus } from "../../../words/approval.ts";
import { type ChainKeys, hasRightMac } from "../chain/chain-keys.ts";
import { keysOff } from "../chain/key-changes.ts";
import { isLinked, type LinkedRow, readLink, type SignedLink } from "../chain/link.ts";
import type { Row, Script } from "../database.ts";
import type { Store } from "../store.ts";
import type { KeptApproval } from "./approval-row.ts";

/** What it takes to read rows of the chain and to tell whether they are to be believed. */
export type ChainReading = Pick<Store, "dialect" | "chainKeys">;

/**
 * Rows that few calls have; those of approvals are among them. The index on them says it in these words, and costs the
 * other rows next to nothing: a list of kinds would cost each of them more than a microsecond.
 */
export const rareRows = "kind <> 'opened' AND kind <> 'started' AND kind <> 'closed'";

type ApprovalBody = Readonly<Record<string, unknown>> & { readonly id: string };

/** What each kind of row makes of a request, and from which states. Anything may be annulled. */
const steps: Readonly<Record<string, readonly [from: ApprovalStatus | undefined, to: ApprovalStatus]>> = {
  answered: ["waiting", "answered"],
  expired: ["waiting", "expired"],
  used: ["answered", "used"],
  annulled: [undefined, "void"],
};

/**
 * What the chain says of the approvals of some entries, by their ids. Where a row was changed, or contradicts those
 * before it, nothing is known of any approval of its entry.
 */
export function* histories(
  reading: ChainReading,
  entryIds: readonly string[],
): Script<ReadonlyMap<string, KeptApproval>> {
  const found = new Map<string, KeptApproval>();
  /** Entries of which no row is believed any more, because one is not to be. */
  const broken = new Set<string | null>();
  if (entryIds.length === 0) return found;
  const rows = yield {
    sql: `SELECT r.*, COALESCE(p.hash, (SELECT hash FROM haft_anchor WHERE seq = r.seq - 1)) AS previous
          FROM (SELECT * FROM haft_records WHERE entry_id ${reading.dialect.amongTexts} AND ${rareRows}) AS r
          LEFT JOIN haft_records p ON p.seq = r.seq - 1 ORDER BY r.seq`,
    values: [JSON.stringify(entryIds)],
  };
  for (const row of rows) {
    const link = readLink(row);
    if (link.kind !== "asked" && !Object.hasOwn(steps, link.kind)) continue;
    const body = (yield* isBelieved(reading, row, link))
      ? (JSON.parse(link.body) as ApprovalBody)
      : undefined;
    const next = body === undefined ? undefined : after(found.get(body.id), link, body, reading);
    if (body === undefined || next === undefined) broken.add(link.entryId);
    else found.set(body.id, next);
  }
  for (const [id, { record }] of found) if (broken.has(record.entryId)) found.delete(id);
  return found;
}

/** A forger can compute a hash, but no MAC: where this process has keys, a row without one must be older than all that have. */
function* isBelieved({ chainKeys }: ChainReading, { previous }: Row, link: SignedLink): Script<boolean> {
  if (typeof previous !== "string" || !isLinked(previous, link)) return false;
  if (chainKeys.newest === undefined) return true;
  if (link.keyId !== null) return hasRightMac(chainKeys, link) === true;
  const known = unkeyedUpTo.get(chainKeys) ?? 0;
  if (link.seq <= known) return true;
  const [keyed] = yield {
    sql: "SELECT * FROM haft_records WHERE seq < ? AND seq > ? AND key_id IS NOT NULL ORDER BY seq DESC LIMIT 1",
    values: [link.seq, known],
  };
  if (keyed !== undefined) return keyed.kind === keysOff && hasRightMac(chainKeys, readLink(keyed)) === true;
  unkeyedUpTo.set(chainKeys, link.seq);
  return true;
}

/** Up to this row no row of a store's chain has a MAC, which takes a while to find out and never changes. */
const unkeyedUpTo = new WeakMap<ChainKeys, number>();

const after = (
  kept: KeptApproval | undefined,
  link: LinkedRow,
  body: ApprovalBody,
  { chainKeys }: ChainReading,
): KeptApproval | undefined => {
  if (link.kind === "asked") return kept === undefined ? readAsked(link, body) : undefined;
  const [from, status] = steps[link.kind] ?? [];
  if (kept === undefined || status === undefined || link.entryId !== kept.record.entryId) return undefined;
  if (from !== undefined && from !== kept.record.status) return undefined;
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

const readAsked = ({ seq, at, entryId, runId }: LinkedRow, body: ApprovalBody): KeptApproval => {
  const { isExact, expiresAt, ...rest } = body;
  return {
    record: {
      ...(rest as unknown as ApprovalRecord),
      entryId: String(entryId),
      runId: String(runId),
      askedAt: at,
      // JSON has no `undefined`, and a record has the member in any case.
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
