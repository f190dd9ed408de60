import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { protectSecretFile } from "../../platform/protected-files.ts";
import { SecretError } from "../secret-source.ts";
import { readPrivateFile } from "../secrets/read-private-file.ts";
import { acquireFileLock } from "./acquire-file-lock.ts";
import { isStoredToken, type StoredToken, type TokenStore } from "./token-store.ts";

const createPrivateFile = async (path: string, text: string): Promise<void> => {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    // A rotated token has no second copy, so it must be on disk before the rename.
    await file.sync();
  } finally {
    await file.close();
  }
};

const parseTokenFile = (
  bytes: Uint8Array,
): { readonly key?: unknown; readonly token?: unknown } | undefined => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
};

const readTokenFile = async (path: string, key: string): Promise<StoredToken | undefined> => {
  const bytes = await readPrivateFile(path);
  if (bytes === undefined) return undefined;
  const found = parseTokenFile(bytes);
  if (found?.key !== key || !isStoredToken(found.token))
    throw new SecretError(`the file ${path} does not contain this token`);
  return found.token;
};

/**
 * Stores tokens in a private directory, one file per caller and credential. Processes on one machine can
 * share it: they see each other's tokens immediately and refresh one at a time.
 */
export const fileTokenStore = (directory: string): TokenStore => {
  protectSecretFile(directory);
  const pathOf = (key: string): string =>
    join(directory, `${createHash("sha256").update(key).digest("hex")}.json`);

  /** A user with write access could replace a file with an older one. */
  const check = async (): Promise<void> => {
    const found = await stat(directory).catch(() => undefined);
    if (found !== undefined && process.getuid !== undefined && (found.mode & 0o022) !== 0)
      throw new SecretError(`other users can write to the directory ${directory}; set its mode to 0700`);
  };

  const enter = async (): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await check();
  };

  return {
    get: async (key) => {
      await check();
      return readTokenFile(pathOf(key), key);
    },
    set: async (key, token) => {
      await enter();
      const draft = `${pathOf(key)}.${randomUUID()}.draft`;
      try {
        await createPrivateFile(draft, JSON.stringify({ key, token }));
        await rename(draft, pathOf(key));
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    hold: async (key) => {
      await enter();
      return acquireFileLock(`${pathOf(key)}.lock`);
    },
  };
};
