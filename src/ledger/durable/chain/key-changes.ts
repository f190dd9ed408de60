import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { ChainKeys } from "./chain-keys.ts";
import type { SignedRow } from "./signed-row.ts";

/** From the row behind this one on, rows carry MACs of another key. The old key confirms it; the row has the new one's MAC. */
export const keyRotatedKind = "key-rotated";
/** Rows behind this one carry no MAC. Its own MAC is what permits that. */
export const keysOffKind = "keys-off";

/** Written where an unkeyed chain of 0.1.0 gets its first MAC: it covers every row before it. */
export const keysOnKind = "keys-on";

/** The newest row, as far as the next one depends on it. */
export interface ChainTip {
  readonly seq: number;
  readonly hash: string;
  readonly kind: string;
  readonly keyId: string | null;
  /** The month it is kept in. */
  readonly month: number;
}

/** Nobody without the newest row's key may append: rows without a right MAC would look like a forger's. */
export class KeyMissingError extends Error {
  override readonly name = "KeyMissing";
}

/** What must be appended before a row of these keys may follow the head: nothing, or the body of a rotation. */
export const rotationBefore = (head: ChainTip, { newest, find }: ChainKeys): string | undefined => {
  const { keyId, hash, kind } = head;
  if (keyId === null || kind === keysOffKind || keyId === newest?.id) return undefined;
  const old = find(keyId);
  if (newest === undefined || old === undefined) throw new KeyMissingError(missingKeyMessage(keyId));
  return canonicalJson({ from: keyId, proof: old.handOver(hash, newest.id), to: newest.id });
};

const missingKeyMessage = (keyId: string): string =>
  `The ledger's newest rows carry MACs of the key ${keyId}, which this process does not have, so nothing is appended to them. ` +
  "Set HAFT_LEDGER_KEY to that key, or to a new one and that one: new,old.";

/**
 * Whether a row may follow rows of the key `before`, judged by its key alone: why not, or nothing. `before` is null
 * where no row before it had a key, or where keys were turned off.
 */
export const findKeyFault = (link: SignedRow, before: string | null, keys: ChainKeys): string | undefined => {
  const { keyId, kind, mac } = link;
  if (keyId === null) {
    if (mac !== null) return "it has a MAC and names no key";
    return before === null
      ? undefined
      : `it carries no MAC, though the rows before it have those of the key ${before} and none says that keys were turned off`;
  }
  if (before === null || before === keyId) return undefined;
  if (kind !== keyRotatedKind)
    return `its MAC is of the key ${keyId}, and no row says that it follows the key ${before}`;
  const { from, to, proof } = JSON.parse(link.body) as Readonly<Record<string, unknown>>;
  const old = keys.find(before);
  const isConfirmed = old === undefined || old.handOver(String(link.prev), keyId) === proof;
  if (from === before && to === keyId && isConfirmed) return undefined;
  return `it says that the key ${keyId} follows the key ${before}, and that key does not confirm it`;
};

/** The key that rows behind this one must have; null if they need none. */
export const keyAfter = ({ kind, keyId }: Pick<SignedRow, "kind" | "keyId">): string | null =>
  kind === keysOffKind ? null : keyId;
