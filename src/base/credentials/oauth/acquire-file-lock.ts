import { createHash, randomUUID } from "node:crypto";
import { link, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isHardLinkUnsupported } from "../../platform/is-hard-link-unsupported.ts";

const lockRetryMs = 25;
/** More than twice the longest refresh. */
const staleAfterMs = 180_000;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

interface LockHolder {
  readonly token: string;
  readonly isStale: boolean;
}

const isStale = ({ mtimeMs }: { readonly mtimeMs: number }): boolean => Date.now() - mtimeMs > staleAfterMs;

const readHolder = async (lock: string): Promise<LockHolder | undefined> => {
  try {
    const file = await open(lock, "r");
    try {
      return { token: await file.readFile("utf8"), isStale: isStale(await file.stat()) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
};

const changeMarkerPath = (lock: string, token: string): string =>
  `${lock}.${createHash("sha256").update(token).digest("hex").slice(0, 32)}.end`;

/**
 * Changes the lock if it still holds this token. An exclusively created marker file serializes owner and
 * waiters.
 */
const withChangeMarker = async (
  lock: string,
  token: string,
  change: () => Promise<void>,
): Promise<boolean> => {
  const end = changeMarkerPath(lock, token);
  try {
    await writeFile(end, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    // A process crashed here.
    const made = await stat(end).catch(() => undefined);
    if (made !== undefined && isStale(made)) await rm(end, { force: true });
    return false;
  }
  try {
    if ((await readHolder(lock))?.token !== token) return false;
    await change();
    return true;
  } finally {
    await rm(end, { force: true });
  }
};

const createLock = async (lock: string, token: string, dead: string | undefined): Promise<boolean> => {
  const draft = `${lock}.${token}.draft`;
  await writeFile(draft, token, { flag: "wx", mode: 0o600 });
  try {
    if (dead !== undefined) return await withChangeMarker(lock, dead, () => rename(draft, lock));
    await link(draft, lock).catch(async (error: unknown) => {
      if (!isHardLinkUnsupported(error)) throw error;
      // Without hard links: exclusive creation admits one process, and an empty lock matches no token.
      await writeFile(lock, token, { flag: "wx", mode: 0o600 });
    });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

/** Returns a function that releases only this lock. */
export const acquireFileLock = async (lock: string): Promise<() => Promise<void>> => {
  const token = randomUUID();
  for (;;) {
    const holder = await readHolder(lock);
    const mayTake = holder === undefined || holder.isStale;
    if (mayTake && (await createLock(lock, token, holder?.token))) break;
    await sleep(lockRetryMs);
  }
  return async () => {
    await withChangeMarker(lock, token, () => rm(lock, { force: true }));
  };
};
