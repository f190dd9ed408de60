import type { FileHandle } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { ToolExecutionError } from "../../../types/errors.ts";

export type FileSystemError = NodeJS.ErrnoException;

export const tryFileSystem = <A>(work: () => Promise<A>): Effect.Effect<A, FileSystemError> =>
  Effect.tryPromise({ try: work, catch: (error) => error as FileSystemError });

export const withHandle = <A, E, R, E2, R2>(
  opening: Effect.Effect<FileHandle, E, R>,
  use: (handle: FileHandle) => Effect.Effect<A, E2, R2>,
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.acquireUseRelease(opening, use, (handle) => Effect.ignore(tryFileSystem(() => handle.close())));

const messageByCode: Readonly<Record<string, string>> = {
  ENOENT:
    "does not exist. Paths are relative to the first granted folder. If you have file-list, use it to list the files",
  ENOTDIR: "leads through something that is not a folder",
  EISDIR: "is a folder. If you have file-list, use it to list its files",
  EACCES: "cannot be accessed: the operating system denies this process access",
  EPERM: "cannot be accessed: the operating system denies this process access",
  ELOOP: "leads through a loop of symbolic links",
  ENAMETOOLONG: "has a name that is too long for the file system",
  EEXIST: 'already exists; use mode "overwrite" to replace it, or "append" to add to it',
  ENOSPC: "cannot be written: the disk is full",
  EDQUOT: "cannot be written: the disk quota is exceeded",
  EROFS: "cannot be written: the file system is read-only",
  EMFILE: "cannot be opened now: this process has too many files open; try again",
  ENFILE: "cannot be opened now: the machine has too many files open; try again",
  ENXIO: "is not a regular file",
  EBUSY: "is in use; try again",
};

const transientCodes: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "EBUSY", "EAGAIN"]);

/** Shows the path as the caller wrote it, and hides the real path. */
export const toFileFailure =
  (path: string, ran = false) =>
  (error: FileSystemError | ToolExecutionError): ToolExecutionError => {
    if (error instanceof ToolExecutionError) return error;
    const code = error.code ?? "unknown";
    const why = messageByCode[code] ?? `cannot be used: the file system returned ${code}`;
    const retryable = transientCodes.has(code);
    return new ToolExecutionError("failed", `${quotePath(path)} ${why}.`, { ran, retryable });
  };

export const quotePath = (path: string): string =>
  JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
