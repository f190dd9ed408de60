import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, fstatSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isHardLinkUnsupported } from "../../../base/platform/is-hard-link-unsupported.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import { ledgerUnavailable } from "../../ledger-errors.ts";

const keyLength = 32;

/** Separated by commas or newlines, newest first; only the newest seals and signs. */
export const readKeys = (text: string, from: string): readonly Uint8Array[] => {
  const keys = text
    .split(/[,\n]/)
    .flatMap((part) => (part.trim() === "" ? [] : [readKey(part.trim(), from)]));
  return keys.length === 0 ? [readKey("", from)] : keys;
};

const readKey = (text: string, from: string): Uint8Array => {
  const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64");
  if (bytes.length === keyLength) return bytes;
  throw new ConfigurationError(
    "invalid_config",
    `The ledger's key (${from}) is not ${keyLength} bytes in hexadecimal or base64. Create one with: openssl rand -base64 ${keyLength}`,
  );
};

/** If several processes create it at once, one wins. */
export const readOrCreateKeyFile = (path: string): readonly Uint8Array[] => {
  const known = readKeyText(path);
  if (known !== undefined) return readKeys(known === "" ? waitForKeyText(path) : known, path);
  try {
    createKeyFile(path, `${randomBytes(keyLength).toString("base64")}\n`);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      throw ledgerUnavailable(
        `The ledger's key file ${path} cannot be created: ${(cause as Error).message}`,
        cause,
      );
    }
  }
  return readKeys(waitForKeyText(path), path);
};

const exclusiveWrite = { mode: 0o600, flag: "wx", flush: true } as const;

/** A hard link publishes the complete file atomically. Without hard links, the file is briefly empty. */
const createKeyFile = (path: string, text: string): void => {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, exclusiveWrite);
    try {
      linkSync(draft, path);
    } catch (cause) {
      if (!isHardLinkUnsupported(cause)) throw cause;
      writeFileSync(path, text, exclusiveWrite);
    }
  } finally {
    rmSync(draft, { force: true });
  }
};

const pauseMs = 20;
const maxWaitMs = 2_000;

const waitForKeyText = (path: string): string => {
  const still = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < maxWaitMs; waited += pauseMs) {
    const text = readKeyText(path) ?? "";
    if (text !== "") return text;
    Atomics.wait(still, 0, 0, pauseMs);
  }
  throw ledgerUnavailable(
    `The ledger's key file ${path} is empty: a process may have died while it created the file. No data is encrypted with it; delete it.`,
  );
};

/** Checks the mode of the opened file, which is the one that is read. */
const readKeyText = (path: string): string | undefined => {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    refusePublicKeyFile(path, fstatSync(file).mode & 0o777);
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw ledgerUnavailable(
      `The ledger's key file ${path} cannot be read: ${(cause as Error).message}`,
      cause,
    );
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

/** Windows has no such mode bits. */
const refusePublicKeyFile = (path: string, mode: number): void => {
  if (process.getuid === undefined || (mode & 0o077) === 0) return;
  throw new ConfigurationError(
    "invalid_config",
    `The ledger's key file ${path} is accessible to other users (mode ${mode.toString(8).padStart(4, "0")}), and a user who reads ` +
      `it can decrypt every exact text of the ledger and forge its rows. Restrict it: chmod 600 ${shellQuote(path)}. If the file is mounted with this mode, set HAFT_LEDGER_KEY to its contents.`,
  );
};

const shellQuote = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
