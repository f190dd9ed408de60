import type { Row, Script } from "../database.ts";
import { type ChainKeys, hasRightMac } from "./chain-keys.ts";
import { keysOff } from "./key-changes.ts";
import { isLinked, readLink, type SignedLink } from "./link.ts";

/** Some rows of the chain, as `r`, each with the hash of the one before it: what `isBelieved` judges them by. */
export const withPrevious = (rows: string): string =>
  `SELECT r.*, COALESCE(p.hash, (SELECT hash FROM haft_anchor WHERE seq = r.seq - 1)) AS previous
   FROM (${rows}) AS r LEFT JOIN haft_records p ON p.seq = r.seq - 1`;

/**
 * Whether a row may be acted on without following the whole chain: it says what was hashed, behind the row before it.
 * A forger can compute a hash, but no MAC: where this process has keys, a row without one must be older than all that have.
 */
export function* isBelieved(keys: ChainKeys, row: Row): Script<boolean> {
  const link = readLink(row);
  if (typeof row.previous !== "string" || !isLinked(row.previous, link)) return false;
  if (keys.newest === undefined) return true;
  if (link.keyId !== null) return hasRightMac(keys, link) === true;
  const known = unkeyedUpTo.get(keys) ?? 0;
  if (link.seq <= known) return true;
  const [keyed] = yield {
    sql: "SELECT * FROM haft_records WHERE seq < ? AND seq > ? AND key_id IS NOT NULL ORDER BY seq DESC LIMIT 1",
    values: [link.seq, known],
  };
  if (keyed !== undefined) return turnsKeysOff(keys, readLink(keyed));
  unkeyedUpTo.set(keys, link.seq);
  return true;
}

/** The MAC is of the hash, so it proves what the row says only if that is what was hashed. */
const turnsKeysOff = (keys: ChainKeys, link: SignedLink): boolean =>
  link.kind === keysOff && isLinked(String(link.prev), link) && hasRightMac(keys, link) === true;

/** Up to this row no row of a store's chain has a MAC, which takes a while to find out and never changes. */
const unkeyedUpTo = new WeakMap<ChainKeys, number>();
