import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

const inUse = new Map<string, number>();
const secretFiles = new Set<string>();

/** Keeps file tools of this process from reading and writing a file or a folder with secrets of the operator. */
export const protectSecretFile = (path: string): void => {
  secretFiles.add(realPath(path));
};

export const isSecretFile = (real: string): boolean =>
  [...secretFiles].some((file) => real === file || real.startsWith(`${file}${sep}`));

/** Keeps file tools of this process from writing a ledger, a configuration or a lock. Returns a function that undoes it. */
export const protectFile = (path: string): (() => void) => {
  const real = realPath(path);
  inUse.set(real, (inUse.get(real) ?? 0) + 1);
  let isMarked = true;
  return () => {
    if (!isMarked) return;
    isMarked = false;
    const left = inUse.get(real)! - 1;
    if (left === 0) inUse.delete(real);
    else inUse.set(real, left);
  };
};

/** Whether a real path is a protected file, or one named after it: the key, journal and payload files of a ledger. */
export const isProtectedFile = (real: string): boolean => {
  for (const file of inUse.keys()) {
    if (real === file || real.startsWith(`${file}-`) || real.startsWith(`${file}.`)) return true;
  }
  return false;
};

const realPath = (path: string): string => {
  const full = resolve(path);
  for (const [folder, rest] of [
    [full, ""],
    [dirname(full), basename(full)],
  ] as const) {
    try {
      return join(realpathSync(folder), rest);
    } catch {}
  }
  return full;
};
