import { randomBytes } from "node:crypto";
import { chmod, open, readFile, realpath, rename, rm } from "node:fs/promises";
import { ToolError } from "../../types/errors.ts";
import type { Lock } from "./lock.ts";
import { readLock } from "./read-lock.ts";

/** Returns the error of an invalid lockfile instead of throwing it. */
export const readLockFile = async (file: string): Promise<Lock | ToolError | undefined> => {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return readLock(text);
  } catch (error) {
    if (ToolError.is(error)) return error;
    throw error;
  }
};

/** Replaces the file atomically and follows a symbolic link. */
export const writeLockFile = async (file: string, text: string): Promise<void> => {
  const place = await realpath(file).catch(() => file);
  const draft = `${place}.${randomBytes(6).toString("hex")}.new`;
  try {
    const handle = await open(draft, "wx", 0o644);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(draft, 0o644);
    await rename(draft, place);
  } finally {
    await rm(draft, { force: true });
  }
};
