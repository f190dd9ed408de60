import { type BigIntStats, statSync } from "node:fs";
import { unavailable } from "../refusals.ts";
import { inMemory } from "./connection.ts";

/** Refuses to go on once the file that was opened is no longer the one that has its name. */
export type SameFile = () => void;

const statOf = (path: string): BigIntStats | undefined =>
  statSync(path, { throwIfNoEntry: false, bigint: true });

/**
 * SQLite goes on writing to a file that was deleted or replaced, where nobody else sees it: what another process did
 * meanwhile would be done once more. The device and the number of the file tell it from another of the same name.
 */
export const sameFile = (path: string): SameFile => {
  if (path === inMemory) return () => {};
  const opened = statOf(path);
  return () => {
    const now = statOf(path);
    if (opened !== undefined && now?.ino === opened.ino && now.dev === opened.dev) return;
    throw unavailable(
      `The ledger ${path} was ${now === undefined ? "deleted" : "replaced by another file"} while it was open here, so ` +
        "nothing more is written to it and nothing runs. Put the file back, or restart this process.",
    );
  };
};
