import { hash, hkdfSync } from "node:crypto";
import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { Row, Script } from "../database.ts";
import {
  chainOf,
  chainStart,
  genesisHash,
  hasValidHash,
  readSignedRow,
  rowsPerChain,
  type SignedRow,
} from "./signed-row.ts";

export interface ChainKey {
  readonly id: string;
  /** HMAC-SHA-256 of a row's hash. */
  readonly mac: (hash: string) => string;
  readonly handOver: (prev: string, to: string) => string;
}

/** New rows use the newest key; the others only verify. */
export interface ChainKeys {
  readonly newest: ChainKey | undefined;
  readonly find: (id: string) => ChainKey | undefined;
}

export const deriveKey = (key: Uint8Array, purpose: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `haft ledger ${purpose}`, length));

export const keyIdOf = (key: Uint8Array): string => deriveKey(key, "key id", 4).toString("hex");

const createChainKey = (key: Uint8Array): ChainKey => {
  const mac = hmacSha256(deriveKey(key, "mac", 32));
  const id = keyIdOf(key);
  return { id, mac, handOver: (prev, to) => mac(`key-rotated\n${prev}\n${id}\n${to}`) };
};

/** RFC 2104 from two one-shot hashes: an HMAC object per row costs 50 % more. */
export const hmacSha256 = (key: Uint8Array): ((text: string) => string) => {
  const block = Buffer.alloc(64);
  block.set(key);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = block.map((byte) => byte ^ 0x5c);
  return (text) => {
    const digest = hash("sha256", Buffer.concat([inner, Buffer.from(text)]), "buffer");
    return hash("sha256", Buffer.concat([outer, digest]), "base64url");
  };
};

export const createChainKeys = (keys: readonly Uint8Array[]): ChainKeys => {
  const known = new Map(keys.map(createChainKey).map((key) => [key.id, key]));
  return {
    newest: keys[0] === undefined ? undefined : known.get(keyIdOf(keys[0])),
    find: (id) => known.get(id),
  };
};

export const noChainKeys: ChainKeys = createChainKeys([]);

/** `undefined` if the row has no MAC or its key is unknown. */
export const hasValidMac = (
  keys: ChainKeys,
  { keyId, hash, mac }: Pick<SignedRow, "keyId" | "hash" | "mac">,
): boolean | undefined => {
  if (keyId === null) return mac === null ? undefined : false;
  const key = keys.find(keyId);
  // Not timing-safe: the stored MACs are readable anyway.
  return key === undefined ? undefined : key.mac(hash) === mac;
};

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

/** The last pruned row, after which the chain starts. */
export interface ChainBeginning {
  readonly seq: number;
  readonly hash: string;
}

export function* readBeginning(chain: number): Script<ChainBeginning> {
  const [row] = yield { sql: "SELECT seq, hash FROM haft_anchor WHERE chain = ?", values: [chain] };
  return { seq: Number(row?.seq ?? chainStart(chain)), hash: String(row?.hash ?? genesisHash) };
}

export function* readLastSeq(chain: number, { seq }: ChainBeginning): Script<number> {
  const start = chainStart(chain);
  const [row] = yield {
    sql: "SELECT MAX(seq) AS last FROM haft_records WHERE seq > ? AND seq < ?",
    values: [start, start + rowsPerChain],
  };
  return Math.max(seq, Number(row?.last ?? 0));
}

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
