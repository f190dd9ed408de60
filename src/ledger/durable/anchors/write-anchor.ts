import type { LedgerAnchor } from "../../../words/durable-ledger.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";
import { readHeads } from "../chain/chains.ts";
import type { Database, Insert, Script } from "../database.ts";
import { StaleCache } from "../database.ts";
import { anchorColumns, anchorHash, noAnchor, readAnchored, writeHeads } from "./anchor-row.ts";
import { merkleRoot } from "./merkle.ts";

interface Anchoring {
  readonly database: Database;
  readonly chainKeys: ChainKeys;
  readonly now: () => number;
}

/** Every so many anchors one names the ends of all chains, so that nobody need read further back. */
const wholeEvery = 100;

/**
 * Writes the Merkle root of the ends of all chains behind the anchor before, unless that is younger than `leastMs` or
 * nothing was written since. Of several processes that do so at once one wins: an anchor's number is there once.
 */
export const writeAnchor = async (
  { database, chainKeys, now }: Anchoring,
  leastMs = 0,
): Promise<LedgerAnchor | undefined> => {
  const at = now();
  const made = await database.read(() => nextAnchor(chainKeys, at, leastMs));
  if (made === undefined) return undefined;
  try {
    await database.write(function* (): Script<void> {
      yield made.insert;
    });
    return made.anchor;
  } catch (error) {
    if (error instanceof StaleCache) return undefined;
    throw error;
  }
};

function* nextAnchor(
  { newest }: ChainKeys,
  at: number,
  leastMs: number,
): Script<{ readonly anchor: LedgerAnchor; readonly insert: Insert } | undefined> {
  const before = yield* readAnchored(Number.MAX_SAFE_INTEGER);
  const { number: last, hash: prev } = before?.last ?? noAnchor;
  if (before !== undefined && at - before.last.at < leastMs) return undefined;
  const heads = (yield* readHeads()).map(({ seq, hash }) => ({ seq, hash }));
  const known = new Map([...(before?.heads.values() ?? [])].map(({ seq, hash }) => [seq, hash]));
  const changed = heads.filter(({ seq, hash }) => known.get(seq) !== hash);
  if (changed.length === 0) return undefined;
  const number = last + 1;
  const root = merkleRoot(heads);
  const keyId = newest?.id ?? null;
  const isWhole = number % wholeEvery === 1 || heads.length < known.size;
  const hash = anchorHash({ number, at, root, prev, keyId });
  const row = [
    number,
    at,
    writeHeads(isWhole ? heads : changed),
    Number(isWhole),
    root,
    prev,
    hash,
    newest?.mac(hash) ?? null,
    keyId,
  ];
  return {
    anchor: { number, at, root, hash },
    insert: { insert: "haft_roots", columns: anchorColumns, rows: [row] },
  };
}
