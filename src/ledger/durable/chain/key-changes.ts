import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { ChainKeys } from "./chain-keys.ts";
import type { SignedRow } from "./signed-row.ts";

/** Later rows use another key, which the old one signs. */
export const keyRotatedKind = "key-rotated";
/** Later rows have no MAC; its own MAC authorizes that. */
export const keysOffKind = "keys-off";

/** The first MAC of an unkeyed chain of 0.1.0 covers all earlier rows. */
export const keysOnKind = "keys-on";

export interface ChainTip {
  readonly seq: number;
  readonly hash: string;
  readonly kind: string;
  readonly keyId: string | null;
  readonly month: number;
}

/** Without the newest row's key, appended rows would look forged. */
export class KeyMissingError extends Error {
  override readonly name = "KeyMissing";
}

/** The body of the rotation row that must come first, if any. */
export const rotationBefore = (head: ChainTip, { newest, find }: ChainKeys): string | undefined => {
  const { keyId, hash, kind } = head;
  if (keyId === null || kind === keysOffKind || keyId === newest?.id) return undefined;
  const old = find(keyId);
  if (newest === undefined || old === undefined) throw new KeyMissingError(missingKeyMessage(keyId));
  return canonicalJson({ from: keyId, proof: old.handOver(hash, newest.id), to: newest.id });
};

const missingKeyMessage = (keyId: string): string =>
  `The ledger's newest rows have MACs of the key ${keyId}, which this process does not have, so it cannot append rows. ` +
  "Set HAFT_LEDGER_KEY to that key, or to a new one and that one: new,old.";

/** Judged by keys alone. `before` is null if no key is required. */
export const findKeyFault = (link: SignedRow, before: string | null, keys: ChainKeys): string | undefined => {
  const { keyId, kind, mac } = link;
  if (keyId === null) {
    if (mac !== null) return "it has a MAC but no key id";
    return before === null
      ? undefined
      : `it has no MAC, although earlier rows have MACs of the key ${before} and no row records that keys were turned off`;
  }
  if (before === null || before === keyId) return undefined;
  if (kind !== keyRotatedKind)
    return `its MAC is of the key ${keyId}, and no row records a change from the key ${before}`;
  const { from, to, proof } = JSON.parse(link.body) as Readonly<Record<string, unknown>>;
  const old = keys.find(before);
  const isConfirmed = old === undefined || old.handOver(String(link.prev), keyId) === proof;
  if (from === before && to === keyId && isConfirmed) return undefined;
  return `it records a change from the key ${before} to ${keyId}, and the old key does not confirm it`;
};

/** Null if no key is required. */
export const keyAfter = ({ kind, keyId }: Pick<SignedRow, "kind" | "keyId">): string | null =>
  kind === keysOffKind ? null : keyId;
