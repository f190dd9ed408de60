import type { LedgerError } from "../../words/errors.ts";
import { unavailable } from "../refusals.ts";

/** The codes that SQLite itself gives, less what it adds in their upper bits. */
const codes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  noDatabase: 26,
} as const;

const codeOf = (error: unknown): number | undefined => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
};

/** Somebody else is writing: waiting helps. */
export const isBusy = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === codes.busy || code === codes.locked;
};

/** One value is at fault, not the database. */
export const isRefusal = (error: unknown): boolean => {
  const code = codeOf((error as { readonly failure?: { readonly cause?: unknown } }).failure?.cause);
  return code === codes.tooBig || code === codes.constraint || code === codes.mismatch;
};

/** What the file system says before SQLite is asked. */
const ofFiles: Readonly<Record<string, number>> = {
  EACCES: codes.readonly,
  EPERM: codes.readonly,
  EROFS: codes.readonly,
  ENOSPC: codes.full,
  EDQUOT: codes.full,
  ENOTDIR: codes.cannotOpen,
  EISDIR: codes.cannotOpen,
};

const wordsFor = (error: unknown, path: string, waitedMs: number): string => {
  switch (codeOf(error) ?? ofFiles[String((error as { readonly code?: unknown } | null)?.code)]) {
    case codes.busy:
    case codes.locked:
      return `${path} has been locked by another process for ${waitedMs / 1_000} s. End that process, or wait until it is done`;
    case codes.full:
      return `the disk that holds ${path} is full. Make room: nothing runs that cannot be recorded`;
    case codes.readonly:
      return `${path} cannot be written to. Let this user write to the file and to its folder`;
    case codes.cannotOpen:
      return `${path} cannot be opened. Its folder must exist and let this user write`;
    case codes.corrupt:
    case codes.noDatabase:
      return `${path} is not a ledger, or it is damaged. Restore it from a backup, or move it away and a new one is begun`;
    case codes.io:
      return `the disk that holds ${path} fails: ${(error as Error).message}`;
    case codes.tooBig:
    case codes.constraint:
    case codes.mismatch:
      return `${path} refuses a value: ${(error as Error).message}`;
    default:
      return `${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** What SQLite or the file system said, as words that help. Whatever a script threw stays as it is. */
export const toSqliteError = (error: unknown, path: string, waitedMs: number): LedgerError | unknown =>
  codeOf(error) === undefined && !isFileTrouble(error)
    ? error
    : unavailable(`The ledger: ${wordsFor(error, path, waitedMs)}.`, error);

const isFileTrouble = (error: unknown): boolean =>
  error instanceof Error &&
  ("syscall" in error || String((error as { code?: unknown }).code).startsWith("ERR_SQLITE"));
