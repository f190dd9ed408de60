import { readFile } from "node:fs/promises";
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
