import { hash, hkdfSync } from "node:crypto";
import type { SignedRow } from "./signed-row.ts";

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
