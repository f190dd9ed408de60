import type { ChainHead, LedgerAnchor } from "../../../types/durable-ledger.ts";
import type { BrokenRow } from "../chain/chain-check.ts";
import { type ChainKeys, hasValidMac, readBeginning } from "../chain/chain-keys.ts";
import { chainOf } from "../chain/signed-row.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import {
  type AnchoredHeads,
  anchorHash,
  applyAnchor,
  merkleRoot,
  noAnchor,
  readAnchor,
  type StoredAnchor,
} from "./write-anchor.ts";

export interface AnchorCheckResult {
  readonly last: LedgerAnchor | undefined;
  readonly heads: AnchoredHeads;
  readonly broken: BrokenRow | undefined;
  readonly isExpectedSeen: boolean;
}

export interface AnchorStart {
  readonly last: StoredAnchor;
  readonly heads: AnchoredHeads;
}

const pageSize = 500;

export const checkAnchors = async (
  { database, dialect, chainKeys }: Pick<DurableStore, "database" | "dialect" | "chainKeys">,
  expect: string | undefined,
  from: AnchorStart | undefined,
): Promise<AnchorCheckResult> => {
  const heads: AnchoredHeads = new Map(from?.heads);
  let last: StoredAnchor | undefined = from?.last;
  let isExpectedSeen = last !== undefined && isExpectedAnchor(last, expect);
  const checked = (broken?: BrokenRow): AnchorCheckResult => ({
    last: toPublicAnchor(last),
    heads,
    broken,
    isExpectedSeen,
  });
  for (;;) {
    const { rows, missing } = await database.read(() => readAnchorPage(dialect, last?.number ?? 0));
    for (const row of rows) {
      const anchor = readAnchor(row);
      const why = findAnchorFault(anchor, last, heads, chainKeys);
      if (why !== undefined) return checked({ seq: anchor.heads[0]?.seq ?? 0, why });
      last = anchor;
      isExpectedSeen ||= isExpectedAnchor(anchor, expect);
    }
    if (missing !== undefined) return checked(missing);
    if (rows.length < pageSize) return checked();
  }
};

const isExpectedAnchor = ({ hash, root }: StoredAnchor, expect: string | undefined): boolean =>
  expect === hash || expect === root;

const toPublicAnchor = (anchor: StoredAnchor | undefined): LedgerAnchor | undefined => {
  if (anchor === undefined) return undefined;
  const { number, at, root, hash } = anchor;
  return { number, at, root, hash };
};

const findAnchorFault = (
  anchor: StoredAnchor,
  before: StoredAnchor | undefined,
  heads: AnchoredHeads,
  keys: ChainKeys,
): string | undefined => {
  const { number, prev, hash, keyId } = anchor;
  const name = `the anchor ${number}`;
  // After pruning, the oldest remaining anchor is a whole one.
  if (before === undefined && number !== 1 && !anchor.isWhole) return `anchors before ${number} are missing`;
  const expected = before ?? (number === 1 ? noAnchor : undefined);
  if (expected !== undefined && number !== expected.number + 1)
    return `the anchor ${expected.number + 1} is missing`;
  if (expected !== undefined && prev !== expected.hash) return `${name} does not follow the previous anchor`;
  if (anchorHash(anchor) !== hash) return `${name} was changed: its hash differs`;
  if (hasValidMac(keys, anchor) === false) return `the MAC of ${name} does not match its key`;
  if (keyId === null && before !== undefined && before.keyId !== null)
    return `${name} has no MAC, although the previous anchor has one`;
  applyAnchor(heads, anchor);
  return merkleRoot([...heads.values()]) === anchor.root
    ? undefined
    : `the heads of ${name} do not match its root`;
};

interface AnchorPage {
  readonly rows: readonly Row[];
  readonly missing: BrokenRow | undefined;
}

function* readAnchorPage({ amongNumbers }: DurableStore["dialect"], after: number): Script<AnchorPage> {
  const rows = yield {
    sql: `SELECT * FROM haft_roots WHERE number > ? ORDER BY number LIMIT ${pageSize}`,
    values: [after],
  };
  const anchors = rows.map(readAnchor);
  const seqs = anchors.flatMap(({ heads }) => heads.map(({ seq }) => seq));
  if (seqs.length === 0) return { rows, missing: undefined };
  const found = yield {
    sql: `SELECT seq, hash FROM haft_records WHERE seq ${amongNumbers}`,
    values: [JSON.stringify(seqs)],
  };
  const hashes = new Map(found.map(({ seq, hash }) => [Number(seq), String(hash)]));
  const begins = new Map<number, number>();
  for (const { number, heads } of anchors) {
    for (const head of heads) {
      if (hashes.get(head.seq) === head.hash) continue;
      const chain = chainOf(head.seq);
      if (!begins.has(chain)) begins.set(chain, (yield* readBeginning(chain)).seq);
      if (head.seq <= begins.get(chain)!) continue;
      return { rows, missing: { seq: head.seq, why: missingRowReason(number, head, hashes) } };
    }
  }
  return { rows, missing: undefined };
}

const missingRowReason = (number: number, { seq }: ChainHead, hashes: ReadonlyMap<number, string>): string =>
  hashes.has(seq)
    ? `it is not the row that anchor ${number} refers to`
    : `anchor ${number} refers to this row, and it is missing: rows were removed from the end of its chain`;
