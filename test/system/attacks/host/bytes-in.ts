import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Size of all files below a folder. Files that disappear during the scan count as zero. */
export const bytesIn = (folder: string): number => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + sizeOf(join(entry.parentPath, entry.name)), 0);
  } catch {
    return 0;
  }
};

const places = ["/dev/shm", "/tmp", "/var/tmp", "/run", "/home", "/"];

/** Size of files with a mark in memory file systems that the process can write to. */
export const bytesMarked = (pid: number, mark: string): number =>
  places
    .map((place) => `/proc/${pid}/root${place}`)
    .flatMap((folder) =>
      namesIn(folder)
        .filter((name) => name.startsWith(mark))
        .map((name) => sizeOf(join(folder, name))),
    )
    .reduce((sum, size) => sum + size, 0);

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
