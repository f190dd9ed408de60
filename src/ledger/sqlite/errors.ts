import type { LedgerError } from "../../types/errors.ts";
import { ledgerUnavailable } from "../ledger-errors.ts";

/** Without the extended bits. */
const sqliteCodes = {
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

const sqliteCodeOf = (error: unknown): number | undefined => {
  const code = (error as { readonly errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
};

export const isBusy = (error: unknown): boolean => {
  const code = sqliteCodeOf(error);
  return code === sqliteCodes.busy || code === sqliteCodes.locked;
};

export const isSqliteValueError = (error: unknown): boolean => {
  const code = sqliteCodeOf((error as { readonly failure?: { readonly cause?: unknown } }).failure?.cause);
  return code === sqliteCodes.tooBig || code === sqliteCodes.constraint || code === sqliteCodes.mismatch;
};

const fileErrorCodes: Readonly<Record<string, number>> = {
  EACCES: sqliteCodes.readonly,
  EPERM: sqliteCodes.readonly,
  EROFS: sqliteCodes.readonly,
  ENOSPC: sqliteCodes.full,
  EDQUOT: sqliteCodes.full,
  ENOTDIR: sqliteCodes.cannotOpen,
  EISDIR: sqliteCodes.cannotOpen,
  EEXIST: sqliteCodes.cannotOpen,
};

const describeSqliteError = (error: unknown, path: string, waitedMs: number): string => {
  switch (
    sqliteCodeOf(error) ??
    fileErrorCodes[String((error as { readonly code?: unknown } | null)?.code)]
  ) {
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return `${path} has been locked by another process for ${waitedMs / 1_000} s. Stop that process, or wait until it finishes`;
    case sqliteCodes.full:
      return `the disk that holds ${path} is full. Free disk space: calls that cannot be recorded do not run`;
    case sqliteCodes.readonly:
      return `${path} cannot be written to. Let this user write to the file and to its folder`;
    case sqliteCodes.cannotOpen:
      return `${path} cannot be opened. Its folder must exist and let this user write`;
    case sqliteCodes.corrupt:
    case sqliteCodes.noDatabase:
      return `${path} is not a ledger, or it is damaged. Restore it from a backup, or move it away to start a new ledger`;
    case sqliteCodes.io:
      return `the disk that holds ${path} fails: ${(error as Error).message}`;
    case sqliteCodes.tooBig:
    case sqliteCodes.constraint:
    case sqliteCodes.mismatch:
      return `${path} refuses a value: ${(error as Error).message}`;
    default:
      return `${path}: ${error instanceof Error ? error.message : String(error)}`;
  }
};

export const toSqliteError = (error: unknown, path: string, waitedMs: number): LedgerError | unknown =>
  sqliteCodeOf(error) === undefined && !isFileError(error)
    ? error
    : ledgerUnavailable(`The ledger: ${describeSqliteError(error, path, waitedMs)}.`, error);

const isFileError = (error: unknown): boolean =>
  error instanceof Error &&
  ("syscall" in error || String((error as { code?: unknown }).code).startsWith("ERR_SQLITE"));
