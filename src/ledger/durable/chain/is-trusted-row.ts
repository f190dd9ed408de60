import type { Row, Script } from "../database.ts";
import { type ChainKeys, hasValidMac, keysOffKind } from "./chain-keys.ts";
import { chainOf, chainStart, hasValidHash, readSignedRow, type SignedRow } from "./signed-row.ts";

export const withPreviousHash = (rows: string): string =>
  `SELECT r.*, COALESCE((SELECT p.hash FROM haft_records p WHERE p.seq = r.seq - 1),
     (SELECT hash FROM haft_anchor WHERE seq = r.seq - 1)) AS previous FROM (${rows}) AS r`;

/**
 * Whether a row can be trusted without verifying the whole chain. Where this process has keys, a row without
 * MAC must precede all rows with one.
 */
export function* isTrustedRow(keys: ChainKeys, row: Row): Script<boolean> {
  const link = readSignedRow(row);
  if (typeof row.previous !== "string" || !hasValidHash(row.previous, link)) return false;
  if (keys.newest === undefined) return true;
  if (link.keyId !== null) return hasValidMac(keys, link) === true;
  const chain = chainOf(link.seq);
  const known = unkeyedUpToByChain(keys).get(chain) ?? chainStart(chain);
  if (link.seq <= known) return true;
  const [keyed] = yield {
    sql: "SELECT * FROM haft_records WHERE seq < ? AND seq > ? AND key_id IS NOT NULL ORDER BY seq DESC LIMIT 1",
    values: [link.seq, known],
  };
  if (keyed !== undefined) return isKeysOffRow(keys, readSignedRow(keyed));
  if (!(yield* isUnkeyedRowTrusted(keys, link))) return false;
  unkeyedUpToByChain(keys).set(chain, link.seq);
  return true;
}

/**
 * An attacker with SQL access could start a chain without MACs. It is trusted only if no chain has MACs, or
 * if its first later MAC is valid.
 */
function* isUnkeyedRowTrusted(keys: ChainKeys, { seq }: SignedRow): Script<boolean> {
  const [keyed] = yield {
    sql: "SELECT * FROM haft_records WHERE seq > ? AND seq < ? AND key_id IS NOT NULL ORDER BY seq LIMIT 1",
    values: [seq, chainStart(chainOf(seq) + 1)],
  };
  if (keyed !== undefined) {
    const link = readSignedRow(keyed);
    return hasValidHash(String(link.prev), link) && hasValidMac(keys, link) === true;
  }
  return (
    (yield { sql: "SELECT 1 FROM haft_records WHERE key_id IS NOT NULL LIMIT 1", values: [] }).length === 0
  );
}

/** The MAC covers only the hash, so the hash must match the content too. */
const isKeysOffRow = (keys: ChainKeys, link: SignedRow): boolean =>
  link.kind === keysOffKind && hasValidHash(String(link.prev), link) && hasValidMac(keys, link) === true;

/** Per chain; never changes and is expensive to find. */
const unkeyedUpToByChain = (keys: ChainKeys): Map<number, number> => {
  const known = unkeyedCache.get(keys) ?? new Map<number, number>();
  unkeyedCache.set(keys, known);
  return known;
};

const unkeyedCache = new WeakMap<ChainKeys, Map<number, number>>();
