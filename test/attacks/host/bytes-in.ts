import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The bytes of all files below a folder. What goes away meanwhile counts nothing. */
export const bytesIn = (folder: string): number => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0);
  } catch {
    return 0;
  }
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
