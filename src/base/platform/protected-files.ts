import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

const inUse = new Map<string, number>();
/** As configured. */
const secretPlaces = new Set<string>();
/** The real paths of these places, also those of links that were replaced since. */
const secretFiles = new Set<string>();

/** Keeps file tools of this process from reading and writing a file or a folder with secrets. */
export const protectSecretFile = (path: string): void => {
  const place = resolve(path);
  secretPlaces.add(place);
  resolveSecretPlace(place);
};

/** Secrets can be links that are replaced when they rotate, also inside their folder. */
export const resolveSecretFiles = (): void => {
  for (const place of secretPlaces) resolveSecretPlace(place);
};

const resolveSecretPlace = (place: string): void => {
  secretFiles.add(place).add(realPath(place));
  for (const link of linksIn(place)) secretFiles.add(realPath(link));
};

const linksIn = (place: string): readonly string[] => {
  try {
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(place, name));
  } catch {
    return [];
  }
};

const unwritableFiles = new Set<string>();

/** Keeps file tools of this process from writing a file that they may read. */
export const protectFromWrites = (path: string): void => {
  unwritableFiles.add(realPath(path));
};

export const isUnwritableFile = (real: string): boolean => unwritableFiles.has(real);

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

/** A missing file is resolved in its folder. */
const realPath = (path: string): string => {
  const full = resolve(path);
  try {
    return realpathSync.native(full);
  } catch {
    const folder = dirname(full);
    return folder === full ? full : join(realPath(folder), basename(full));
  }
};
