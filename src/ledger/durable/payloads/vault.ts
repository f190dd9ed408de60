import { createCipheriv, createDecipheriv, createSecretKey, hash, randomBytes } from "node:crypto";
import { unavailable } from "../../refusals.ts";
import type { Blobs } from "./blobs.ts";
import type { Sealed } from "./payload.ts";

/**
 * Keeps exact texts so that nobody who has the database but not the key can read them. `of` says what a text belongs
 * to: it opens for nothing else.
 */
export interface Vault {
  readonly isLocked: boolean;
  /** Nothing where there is no key. */
  readonly seal: (text: string, of: string) => Sealed | undefined;
  readonly unseal: (sealed: Sealed, of: string) => string;
  readonly drop: (files: readonly string[]) => void;
}

/** Longer ones are files of their own, where there is a folder for them. */
const longest = 262_144;
const version = 1;
const marks = 5;
const nonce = 12;
const tag = 16;

export const vault = (key: Uint8Array | undefined, blobs: Blobs | undefined): Vault => {
  if (key === undefined) return noVault;
  const secret = createSecretKey(key);
  const mark = Buffer.from([version, ...hash("sha256", key, "buffer").subarray(0, marks - 1)]);

  const close = (text: string, of: string): Buffer => {
    const start = randomBytes(nonce);
    const cipher = createCipheriv("aes-256-gcm", secret, start).setAAD(Buffer.from(of));
    const parts = [cipher.update(text, "utf8"), cipher.final()];
    return Buffer.concat([mark, start, cipher.getAuthTag(), ...parts]);
  };
  const open = (bytes: Buffer, of: string): string => {
    if (!bytes.subarray(0, marks).equals(mark)) throw otherKey();
    const start = bytes.subarray(marks, marks + nonce);
    const cipher = createDecipheriv("aes-256-gcm", secret, start).setAAD(Buffer.from(of));
    cipher.setAuthTag(bytes.subarray(marks + nonce, marks + nonce + tag));
    try {
      return cipher.update(bytes.subarray(marks + nonce + tag), undefined, "utf8") + cipher.final("utf8");
    } catch (cause) {
      throw unavailable(`An exact text of the ledger was changed since it was sealed (${of}).`, cause);
    }
  };
  return {
    isLocked: false,
    seal: (text, of) => {
      const bytes = close(text, of);
      return blobs !== undefined && bytes.length > longest ? [null, blobs.write(bytes)] : [bytes, null];
    },
    unseal: ([bytes, file], of) => {
      if (bytes !== null) return open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), of);
      if (file !== null && blobs !== undefined) return open(blobs.read(file), of);
      throw unavailable(`An exact text of the ledger is not where it was put (${of}).`);
    },
    drop: (files) => blobs?.remove(files),
  };
};

const noVault: Vault = {
  isLocked: true,
  seal: () => undefined,
  unseal: (_, of) => {
    throw unavailable(
      `An exact text of the ledger is sealed (${of}), and this process has no key. Set HAFT_LEDGER_KEY to the key it ` +
        "was written with.",
    );
  },
  drop: () => {},
};

const otherKey = () =>
  unavailable(
    "An exact text of the ledger was sealed with another key. Set HAFT_LEDGER_KEY to the key it was written with, or " +
      "put its key file back.",
  );
