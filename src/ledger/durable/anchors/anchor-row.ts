import { hashText } from "../../../base/json/hash.ts";
import type { ChainHead, LedgerAnchor } from "../../../types/durable-ledger.ts";
import { chainOf, genesisHash } from "../chain/signed-row.ts";
import type { Row, Script } from "../database.ts";

/** An anchor as stored. Anchors form a small hash chain of their own. */
export interface StoredAnchor extends LedgerAnchor {
  readonly prev: string;
  readonly mac: string | null;
  readonly keyId: string | null;
  /** All heads if `isWhole`, otherwise those changed since the previous anchor. */
  readonly heads: readonly ChainHead[];
  readonly isWhole: boolean;
}

export const noAnchor = { number: 0, hash: genesisHash };

export const anchorColumns = [
  "number",
  "at",
  "heads",
  "is_whole",
  "root",
  "prev",
  "hash",
  "mac",
  "key_id",
] as const;

/** The root covers the heads, so the hash does too. */
export const anchorHash = ({
  number,
  at,
  root,
  prev,
  keyId,
}: Pick<StoredAnchor, "number" | "at" | "root" | "prev" | "keyId">): string =>
  hashText(`${prev}\n{"at":${at},"key":${JSON.stringify(keyId)},"number":${number},"root":"${root}"}`);

/** The stored text may be forged. */
const parseHeads = (text: unknown): readonly ChainHead[] => {
  try {
    const heads: unknown = JSON.parse(String(text));
    return Array.isArray(heads) ? heads.map(([seq, hash]) => ({ seq: Number(seq), hash: String(hash) })) : [];
  } catch {
    return [];
  }
};

export const serializeHeads = (heads: readonly ChainHead[]): string =>
  JSON.stringify(heads.map(({ seq, hash }) => [seq, hash]));

export const readAnchor = (row: Row): StoredAnchor => ({
  number: Number(row.number),
  at: Number(row.at),
  heads: parseHeads(row.heads),
  isWhole: row.is_whole === 1,
  root: String(row.root),
  prev: String(row.prev),
  hash: String(row.hash),
  mac: row.mac as string | null,
  keyId: row.key_id as string | null,
});

export type AnchoredHeads = Map<number, ChainHead>;

export const applyAnchor = (known: AnchoredHeads, { heads, isWhole }: StoredAnchor): void => {
  if (isWhole) known.clear();
  for (const head of heads) known.set(chainOf(head.seq), head);
};

/** The newest anchor up to `upTo`, with all chain heads at that time. */
export function* readAnchorState(
  upTo: number,
): Script<{ readonly last: StoredAnchor; readonly heads: AnchoredHeads } | undefined> {
  const rows = yield {
    sql: `SELECT * FROM haft_roots WHERE number <= ? AND number >=
            (SELECT COALESCE(MAX(number), 0) FROM haft_roots WHERE is_whole AND number <= ?) ORDER BY number`,
    values: [upTo, upTo],
  };
  const heads: AnchoredHeads = new Map();
  let last: StoredAnchor | undefined;
  for (const row of rows) {
    last = readAnchor(row);
    applyAnchor(heads, last);
  }
  return last === undefined ? undefined : { last, heads };
}
