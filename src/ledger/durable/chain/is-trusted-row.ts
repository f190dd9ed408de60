import type { Row, Script } from "../database.ts";
import { type ChainKeys, hasRightMac } from "./chain-keys.ts";
import { keysOff } from "./key-changes.ts";
import { chainOf, chainStart, isLinked, readLink, type SignedLink } from "./link.ts";

/** Some rows of the chain, as `r`, each with the hash of the one before it: what `isBelieved` judges them by. */
export const withPrevious = (rows: string): string =>
  `SELECT r.*, COALESCE((SELECT p.hash FROM haft_records p WHERE p.seq = r.seq - 1),
     (SELECT hash FROM haft_anchor WHERE seq = r.seq - 1)) AS previous FROM (${rows}) AS r`;

/**
 * Whether a row may be acted on without following the whole chain: it says what was hashed, behind the row before it.
 * A forger can compute a hash, but no MAC: where this process has keys, a row without one must be older than all that have.
 */
export function* isBelieved(keys: ChainKeys, row: Row): Script<boolean> {
  const link = readLink(row);
  if (typeof row.previous !== "string" || !isLinked(row.previous, link)) return false;
  if (keys.newest === undefined) return true;
  if (link.keyId !== null) return hasRightMac(keys, link) === true;
  const chain = chainOf(link.seq);
  const known = unkeyedUpTo(keys).get(chain) ?? chainStart(chain);
  if (link.seq <= known) return true;
  const [keyed] = yield {
    sql: "SELECT * FROM haft_records WHERE seq < ? AND seq > ? AND key_id IS NOT NULL ORDER BY seq DESC LIMIT 1",
    values: [link.seq, known],
  };
  if (keyed !== undefined) return turnsKeysOff(keys, readLink(keyed));
  if (!(yield* isCovered(keys, link))) return false;
  unkeyedUpTo(keys).set(chain, link.seq);
  return true;
}

/**
 * Whoever can write SQL could begin a chain without MACs beside those that have them. So rows of a chain that has none
 * are believed only where no chain has any; in others, the first row with a MAC must be one of a key that is here.
 */
function* isCovered(keys: ChainKeys, { seq }: SignedLink): Script<boolean> {
  const [keyed] = yield {
    sql: "SELECT * FROM haft_records WHERE seq > ? AND seq < ? AND key_id IS NOT NULL ORDER BY seq LIMIT 1",
    values: [seq, chainStart(chainOf(seq) + 1)],
  };
  if (keyed !== undefined) {
    const link = readLink(keyed);
    return isLinked(String(link.prev), link) && hasRightMac(keys, link) === true;
  }
  return (
    (yield { sql: "SELECT 1 FROM haft_records WHERE key_id IS NOT NULL LIMIT 1", values: [] }).length === 0
  );
}

/** The MAC is of the hash, so it proves what the row says only if that is what was hashed. */
const turnsKeysOff = (keys: ChainKeys, link: SignedLink): boolean =>
  link.kind === keysOff && isLinked(String(link.prev), link) && hasRightMac(keys, link) === true;

/** Up to this row no row of a chain has a MAC, which takes a while to find out and never changes. */
const unkeyedUpTo = (keys: ChainKeys): Map<number, number> => {
  const known = unkeyed.get(keys) ?? new Map<number, number>();
  unkeyed.set(keys, known);
  return known;
};

const unkeyed = new WeakMap<ChainKeys, Map<number, number>>();
