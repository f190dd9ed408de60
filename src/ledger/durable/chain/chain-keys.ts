import { hash, hkdfSync } from "node:crypto";
import type { SignedRow } from "./signed-row.ts";

/** One key of a ledger, as far as the chain needs it. Its id tells keys apart and gives nothing of them away. */
export interface ChainKey {
  readonly id: string;
  /** HMAC-SHA-256 of a row's hash, and so of the whole row and its predecessor. */
  readonly mac: (hash: string) => string;
  /** Confirms, with this key, that rows from here on carry MACs of another. */
  readonly handOver: (prev: string, to: string) => string;
}

/** The keys this process has. New rows use the newest; the others only verify. */
export interface ChainKeys {
  readonly newest: ChainKey | undefined;
  readonly find: (id: string) => ChainKey | undefined;
}

/** A key for one purpose out of a ledger's key: none of them tells another, or the key itself. */
export const deriveKey = (key: Uint8Array, purpose: string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, "", `haft ledger ${purpose}`, length));

/** Eight hexadecimal digits. */
export const keyIdOf = (key: Uint8Array): string => deriveKey(key, "key id", 4).toString("hex");

const createChainKey = (key: Uint8Array): ChainKey => {
  const mac = hmacSha256(deriveKey(key, "mac", 32));
  const id = keyIdOf(key);
  return { id, mac, handOver: (prev, to) => mac(`key-rotated\n${prev}\n${id}\n${to}`) };
};

/** HMAC-SHA-256 of RFC 2104 by two one-shot hashes: each row has one, and making an object for it costs a half more. */
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

/** Newest first. */
export const createChainKeys = (keys: readonly Uint8Array[]): ChainKeys => {
  const known = new Map(keys.map(createChainKey).map((key) => [key.id, key]));
  return {
    newest: keys[0] === undefined ? undefined : known.get(keyIdOf(keys[0])),
    find: (id) => known.get(id),
  };
};

export const noChainKeys: ChainKeys = createChainKeys([]);

/** Whether a row's MAC is right; `undefined` where it has none, or its key is not here. */
export const hasValidMac = (
  keys: ChainKeys,
  { keyId, hash, mac }: Pick<SignedRow, "keyId" | "hash" | "mac">,
): boolean | undefined => {
  if (keyId === null) return mac === null ? undefined : false;
  const key = keys.find(keyId);
  // Whoever could measure how long this takes has the MACs before him anyway.
  return key === undefined ? undefined : key.mac(hash) === mac;
};
