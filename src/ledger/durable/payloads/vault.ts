import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import { ledgerUnavailable } from "../../ledger-errors.ts";
import { deriveKey, keyIdOf } from "../chain/chain-keys.ts";
import type { SqlValue } from "../database.ts";
import type { Blobs } from "./blobs.ts";

/** A row of `haft_payloads`. */
export type Payload = readonly [entryId: string, kind: string, runId: string, ...SealedText];

export type SealedText = readonly [bytes: Uint8Array | null, file: string | null];

export const toSealedText = (bytes: SqlValue | undefined, file: SqlValue | undefined): SealedText => [
  bytes instanceof Uint8Array ? bytes : null,
  typeof file === "string" ? file : null,
];

/** AES-256-GCM with the context `of` as additional authenticated data. */
export interface Vault {
  readonly isLocked: boolean;
  readonly seal: (text: string, of: string) => SealedText | undefined;
  readonly unseal: (sealed: SealedText, of: string) => string;
  readonly drop: (files: readonly string[]) => void;
}

const maxInlineBytes = 262_144;
const markLength = 5;
const nonceLength = 12;
const tagLength = 16;

/** A version byte and four bytes that identify the key. */
interface SealKey {
  readonly mark: Buffer;
  readonly secret: KeyObject;
}

/** Version 2 seals with a derived key. */
const derivedKey = (key: Uint8Array): SealKey => ({
  mark: Buffer.from(`02${keyIdOf(key)}`, "hex"),
  secret: createSecretKey(deriveKey(key, "seal", 32)),
});

/** Version 1 (Haft 0.1.0) used the ledger key itself and is only read. */
const legacyKey = (key: Uint8Array): SealKey => ({
  mark: Buffer.from([1, ...hash("sha256", key, "buffer").subarray(0, markLength - 1)]),
  secret: createSecretKey(key),
});

export const createVault = (keys: readonly Uint8Array[], blobs: Blobs | undefined): Vault => {
  const [newest] = keys;
  if (newest === undefined) return lockedVault;
  const sealing = derivedKey(newest);
  const known = keys.flatMap((key) => [derivedKey(key), legacyKey(key)]);

  const close = (text: string, of: string): Buffer => {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv("aes-256-gcm", sealing.secret, nonce).setAAD(Buffer.from(of));
    const parts = [cipher.update(text, "utf8"), cipher.final()];
    return Buffer.concat([sealing.mark, nonce, cipher.getAuthTag(), ...parts]);
  };
  const open = (bytes: Buffer, of: string): string => {
    const key = known.find(({ mark }) => bytes.subarray(0, markLength).equals(mark));
    if (key === undefined) throw unknownKeyError();
    const tagAt = markLength + nonceLength;
    const nonce = bytes.subarray(markLength, tagAt);
    const cipher = createDecipheriv("aes-256-gcm", key.secret, nonce).setAAD(Buffer.from(of));
    cipher.setAuthTag(bytes.subarray(tagAt, tagAt + tagLength));
    try {
      return cipher.update(bytes.subarray(tagAt + tagLength), undefined, "utf8") + cipher.final("utf8");
    } catch (cause) {
      throw ledgerUnavailable(
        `An exact text of the ledger was changed after it was encrypted (${of}).`,
        cause,
      );
    }
  };
  return {
    isLocked: false,
    seal: (text, of) => {
      const bytes = close(text, of);
      return blobs !== undefined && bytes.length > maxInlineBytes
        ? [null, blobs.write(bytes)]
        : [bytes, null];
    },
    unseal: ([bytes, file], of) => {
      if (bytes !== null) return open(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), of);
      if (file !== null && blobs !== undefined) return open(blobs.read(file), of);
      throw ledgerUnavailable(`An exact text of the ledger is missing or was moved (${of}).`);
    },
    drop: (files) => blobs?.remove(files),
  };
};

const lockedVault: Vault = {
  isLocked: true,
  seal: () => undefined,
  unseal: (_, of) => {
    throw ledgerUnavailable(
      `An exact text of the ledger is encrypted (${of}), and this process has no key. Set HAFT_LEDGER_KEY to the key it ` +
        "was written with.",
    );
  },
  drop: () => {},
};

const unknownKeyError = () =>
  ledgerUnavailable(
    "An exact text of the ledger was encrypted with another key. Set HAFT_LEDGER_KEY to the key it was written with, " +
      "after the newer key if there is one (new,old), or restore its key file.",
  );

/** Sealed once, because a transaction may be restarted. */
export interface LazySealedText {
  readonly get: () => SealedText | undefined;
  /** Undefined if sealing fails, for rows that must be written in any case. */
  readonly tryGet: () => SealedText | undefined;
  readonly discard: () => void;
}

export const sealLazily = (vault: Vault, text: string | undefined, of: string): LazySealedText => {
  if (text === undefined || vault.isLocked) return noSealedText;
  let sealed: SealedText | undefined;
  const get = (): SealedText | undefined => {
    sealed ??= vault.seal(text, of);
    return sealed;
  };
  return {
    get,
    tryGet: () => {
      try {
        return get();
      } catch {
        return undefined;
      }
    },
    discard: () => {
      const file = sealed?.[1];
      if (typeof file === "string") vault.drop([file]);
      sealed = undefined;
    },
  };
};

const noSealedText: LazySealedText = {
  get: () => undefined,
  tryGet: () => undefined,
  discard: () => {},
};
