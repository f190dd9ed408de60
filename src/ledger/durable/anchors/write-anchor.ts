import type { LedgerAnchor } from "../../../types/durable-ledger.ts";
import type { ChainKeys } from "../chain/chain-keys.ts";
import { readHeads } from "../chain/chains.ts";
import type { Database, InsertRows, Script } from "../database.ts";
import { StaleCacheError } from "../database.ts";
import { anchorColumns, anchorHash, noAnchor, readAnchorState, serializeHeads } from "./anchor-row.ts";
import { merkleRoot } from "./merkle-root.ts";

interface WriteAnchorContext {
  readonly database: Database;
  readonly chainKeys: ChainKeys;
  readonly now: () => number;
}

/** Every 100th anchor lists all heads, which limits how far back a reader must go. */
const fullAnchorInterval = 100;

/**
 * Writes nothing if the last anchor is younger than `minIntervalMs` or nothing changed. Of concurrent
 * writers, the unique number lets one win.
 */
export const writeAnchor = async (
  { database, chainKeys, now }: WriteAnchorContext,
  minIntervalMs = 0,
): Promise<LedgerAnchor | undefined> => {
  const at = now();
  const made = await database.read(() => nextAnchor(chainKeys, at, minIntervalMs));
  if (made === undefined) return undefined;
  try {
    await database.write(function* (): Script<void> {
      yield made.insert;
    });
    return made.anchor;
  } catch (error) {
    if (error instanceof StaleCacheError) return undefined;
    throw error;
  }
};

function* nextAnchor(
  { newest }: ChainKeys,
  at: number,
  minIntervalMs: number,
): Script<{ readonly anchor: LedgerAnchor; readonly insert: InsertRows } | undefined> {
  const before = yield* readAnchorState(Number.MAX_SAFE_INTEGER);
  const { number: last, hash: prev } = before?.last ?? noAnchor;
  if (before !== undefined && at - before.last.at < minIntervalMs) return undefined;
  const heads = (yield* readHeads()).map(({ seq, hash }) => ({ seq, hash }));
  const known = new Map([...(before?.heads.values() ?? [])].map(({ seq, hash }) => [seq, hash]));
  const changed = heads.filter(({ seq, hash }) => known.get(seq) !== hash);
  if (changed.length === 0) return undefined;
  const number = last + 1;
  const root = merkleRoot(heads);
  const keyId = newest?.id ?? null;
  const isWhole = number % fullAnchorInterval === 1 || heads.length < known.size;
  const hash = anchorHash({ number, at, root, prev, keyId });
  const row = [
    number,
    at,
    serializeHeads(isWhole ? heads : changed),
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
