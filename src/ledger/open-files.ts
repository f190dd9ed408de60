import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const open = new Map<string, number>();

/** Marks a SQLite ledger as open in this process, so that file tools leave it alone. Returns a function that undoes it. */
export const markOpenLedger = (path: string): (() => void) => {
  const real = realPath(path);
  open.set(real, (open.get(real) ?? 0) + 1);
  let isMarked = true;
  return () => {
    if (!isMarked) return;
    isMarked = false;
    const left = open.get(real)! - 1;
    if (left === 0) open.delete(real);
    else open.set(real, left);
  };
};

/** Whether a real path is a ledger that is open in this process, or one of its key, journal and payload files. */
export const isOpenLedgerFile = (real: string): boolean => {
  for (const ledger of open.keys()) {
    if (real === ledger || real.startsWith(`${ledger}-`) || real.startsWith(`${ledger}.`)) return true;
  }
  return false;
};

const realPath = (path: string): string => {
  for (const [folder, rest] of [
    [path, ""],
    [dirname(path), basename(path)],
  ] as const) {
    try {
      return join(realpathSync(folder), rest);
    } catch {}
  }
  return path;
};
