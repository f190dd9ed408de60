import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ledgerUnavailable } from "../../ledger-errors.ts";

/** A file is written before the row that names it and deleted after it. */
export interface Blobs {
  readonly write: (bytes: Uint8Array) => string;
  readonly read: (file: string) => Buffer;
  readonly remove: (files: readonly string[]) => void;
  /** The process died between file and row. */
  readonly leftBehind: (isNamed: (file: string) => boolean, before: number) => readonly string[];
}

const isBlobName = (file: string): boolean => /^[0-9a-f-]{36}$/.test(file);

export const createBlobs = (folder: string): Blobs => {
  const placeOf = (file: string): string => {
    if (!isBlobName(file))
      throw ledgerUnavailable("A row of the ledger refers to a file that does not belong to the ledger.");
    return join(folder, file);
  };
  const remove = (file: string): void => {
    try {
      rmSync(placeOf(file));
    } catch {}
  };
  return {
    write: (bytes) => {
      const file = randomUUID();
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, file), bytes, { mode: 0o600, flag: "wx", flush: true });
      } catch (cause) {
        remove(file);
        throw ledgerUnavailable(
          `A long text cannot be stored in ${folder}: ${(cause as Error).message}`,
          cause,
        );
      }
      return file;
    },
    read: (file) => {
      try {
        return readFileSync(placeOf(file));
      } catch (cause) {
        throw ledgerUnavailable(
          `A long text of the ledger cannot be read: ${(cause as Error).message}`,
          cause,
        );
      }
    },
    remove: (files) => {
      for (const file of files) remove(file);
    },
    leftBehind: (isNamed, before) => {
      const isOld = (file: string): boolean =>
        (statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? before) < before;
      return filesIn(folder).filter((file) => isBlobName(file) && !isNamed(file) && isOld(file));
    },
  };
};

const filesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
