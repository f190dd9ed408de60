import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { acquireFileLock } from "../../base/credentials/oauth/acquire-file-lock.ts";
import { canonicalJson } from "../../base/json/canonical-json.ts";

/** Trust includes the subfolders. */
export interface TrustedFolder {
  readonly path: string;
  readonly at: string;
}

export interface AcceptedLaunch {
  readonly hash: string;
  readonly summary: string;
  readonly folder: string;
  readonly at: string;
}

/** A ledger in an untrusted folder that this user's commands created. */
export interface KnownLedger {
  readonly path: string;
  /** A ledger that came with a repository has another key. */
  readonly key: string;
  readonly at: string;
}

/** The secret itself is stored nowhere. */
export interface OperatorSecretHash {
  readonly salt: string;
  readonly hash: string;
  readonly at: string;
}

export interface TrustEntries {
  readonly folders: readonly TrustedFolder[];
  readonly launches: readonly AcceptedLaunch[];
  readonly operator?: OperatorSecretHash;
  readonly ledgers?: readonly KnownLedger[];
}

export interface TrustReadResult {
  readonly entries: TrustEntries;
  readonly problem?: string;
}

/** One authenticated file in the user's configuration directory, never in a project. */
export interface TrustStore {
  readonly directory: string;
  readonly file: string;
  readonly read: () => Promise<TrustReadResult>;
  readonly update: (change: (entries: TrustEntries) => TrustEntries) => Promise<TrustEntries>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const emptyTrustEntries: TrustEntries = Object.freeze({ folders: [], launches: [] });
const maxFileBytes = 4 * 1024 * 1024;

export const configDirectory = (env: Environment, os: NodeJS.Platform = process.platform): string => {
  if (env.HAFT_CONFIG_DIR) return resolve(env.HAFT_CONFIG_DIR);
  if (env.XDG_CONFIG_HOME) return resolve(env.XDG_CONFIG_HOME, "haft");
  if (os === "win32" && env.APPDATA) return resolve(env.APPDATA, "haft");
  return resolve(env.HOME || env.USERPROFILE || homedir(), ".config", "haft");
};

export const openTrustStore = (directory: string): TrustStore => {
  const file = join(directory, "trust.json");
  const keyFile = join(directory, "trust.key");

  const read = async (): Promise<TrustReadResult> => {
    try {
      const text = await readPrivateFile(file);
      if (text === undefined) return { entries: emptyTrustEntries };
      await checkDirectory(directory);
      const key = await readKey(keyFile);
      if (key === undefined) throw new TrustStoreError(`its key ${keyFile} is missing`);
      return { entries: parseAuthenticated(text, key) };
    } catch (error) {
      return { entries: emptyTrustEntries, problem: `${file} is ignored: ${(error as Error).message}.` };
    }
  };

  const update: TrustStore["update"] = async (change) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // An existing directory keeps its mode: it may hold more than Haft's files.
    await checkDirectory(directory);
    const unlock = await acquireFileLock(`${file}.lock`);
    try {
      const next = change((await read()).entries);
      const key = await readOrCreateKey(keyFile);
      const draft = `${file}.${randomBytes(6).toString("hex")}.new`;
      try {
        const text = `${JSON.stringify({ version: 1, ...next, mac: entriesMac(next, key) }, null, 2)}\n`;
        await writeFile(draft, text, { flag: "wx", mode: 0o600, flush: true });
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
      return next;
    } finally {
      await unlock();
    }
  };

  return { directory, file, read, update };
};

class TrustStoreError extends Error {}

/** Undefined if the file does not exist. Throws if other users can access it. */
const readPrivateFile = async (path: string): Promise<string | undefined> => {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new TrustStoreError(`${path} cannot be opened (${code ?? "unknown"})`);
  }
  try {
    const { uid, mode, size, isFile } = await handle.stat().then((stats) => ({
      uid: stats.uid,
      mode: stats.mode & 0o777,
      size: stats.size,
      isFile: stats.isFile(),
    }));
    if (!isFile) throw new TrustStoreError(`${path} is not a regular file`);
    if (size > maxFileBytes) throw new TrustStoreError(`${path} is larger than ${maxFileBytes} bytes`);
    // Windows has no owners and modes that Node could compare.
    if (process.getuid !== undefined) {
      if (uid !== process.getuid()) throw new TrustStoreError(`${path} belongs to another user`);
      if ((mode & 0o077) !== 0)
        throw new TrustStoreError(
          `${path} is open to other users (mode ${formatMode(mode)}; it must be 0600)`,
        );
    }
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
};

const checkDirectory = async (directory: string): Promise<void> => {
  if (process.getuid === undefined) return;
  const { uid, mode } = await stat(directory);
  if (uid !== process.getuid()) throw new TrustStoreError(`${directory} belongs to another user`);
  if ((mode & 0o022) !== 0)
    throw new TrustStoreError(
      `${directory} can be changed by other users (mode ${formatMode(mode & 0o777)}; it must be 0700)`,
    );
};

const formatMode = (mode: number): string => mode.toString(8).padStart(4, "0");

const readKey = async (path: string): Promise<Buffer | undefined> => {
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== 32) throw new TrustStoreError(`${path} contains no key`);
  return key;
};

const readOrCreateKey = async (path: string): Promise<Buffer> => {
  const known = await readKey(path).catch(() => undefined);
  if (known !== undefined) return known;
  const key = randomBytes(32);
  const draft = `${path}.${randomBytes(6).toString("hex")}.new`;
  await writeFile(draft, `${key.toString("base64")}\n`, { flag: "wx", mode: 0o600, flush: true });
  await rename(draft, path);
  return key;
};

const entriesMac = ({ folders, launches, operator, ledgers }: TrustEntries, key: Buffer): string =>
  createHmac("sha256", key)
    .update(
      canonicalJson({
        version: 1,
        folders,
        launches,
        ...(operator === undefined ? {} : { operator }),
        ...(ledgers === undefined ? {} : { ledgers }),
      }),
    )
    .digest("hex");

const parseAuthenticated = (text: string, key: Buffer): TrustEntries => {
  const forged = new TrustStoreError(
    "its contents were not written by haft trust (wrong authentication code)",
  );
  let value: Partial<TrustEntries> & { readonly version?: unknown; readonly mac?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    throw forged;
  }
  const { version, mac, folders, launches, operator, ledgers } = value ?? {};
  if (version !== 1 || typeof mac !== "string" || !Array.isArray(folders) || !Array.isArray(launches))
    throw forged;
  const entries = {
    folders,
    launches,
    ...(operator === undefined ? {} : { operator }),
    ...(ledgers === undefined ? {} : { ledgers }),
  };
  const [given, expected] = [Buffer.from(mac, "hex"), Buffer.from(entriesMac(entries, key), "hex")];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw forged;
  return entries;
};
