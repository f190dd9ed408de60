import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import * as Effect from "effect/Effect";
import { isInside } from "../../../base/platform/real-path.ts";
import { refusePath } from "../../../base/platform/refuse-path.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import {
  isLexicallyInside,
  outsideFoldersError,
  type ResolvedFolders,
  realPathProblem,
  resolveAgainstBase,
} from "./allowed-folders.ts";
import { type FileSystemError, quotePath, tryFileSystem } from "./file-system-errors.ts";

// Does not wait for a pipe or follow a link that replaced the file.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0, O_NOCTTY = 0 } = constants;
const openFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

export type OpenKind = "file" | "folder";

/** The result may change before it is used, see `openInside`. */
export const realPathOf = (
  path: string,
  folders: ResolvedFolders,
): Effect.Effect<string, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const wanted = yield* checkedPath(path, folders);
    const real = yield* tryFileSystem(() => realpath(wanted));
    const refusal = realPathProblem(path, real, folders);
    return refusal === undefined ? real : yield* Effect.fail(refusal);
  });

export const checkedPath = (
  path: string,
  folders: ResolvedFolders,
): Effect.Effect<string, ToolExecutionError> => {
  const reason = refusePath(path);
  if (reason !== undefined) return Effect.fail(refusedCallError(`${quotePath(path)} ${reason}.`));
  const wanted = resolveAgainstBase(path, folders);
  return isLexicallyInside(wanted, folders)
    ? Effect.succeed(wanted)
    : Effect.fail(outsideFoldersError(path, folders));
};

/** Checks the open handle, which closes the gap between check and use. */
export const openInside = (
  path: string,
  real: string,
  folders: ResolvedFolders,
  kind: OpenKind,
): Effect.Effect<FileHandle, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const before = yield* identityAt(real);
    const flags = kind === "folder" ? openFlags | O_DIRECTORY : openFlags;
    const handle = yield* tryFileSystem(() => open(real, flags));
    const judged = Effect.gen(function* () {
      const found = yield* tryFileSystem(() => handle.stat());
      if (kind === "file" && found.isDirectory()) return yield* Effect.fail(fileSystemError("EISDIR"));
      if (kind === "file" ? !found.isFile() : !found.isDirectory())
        return yield* Effect.fail(notRegularError(path, kind));
      yield* confirmInside(path, handle, { real, before, grants: folders });
      return handle;
    });
    return yield* Effect.onError(judged, () => Effect.promise(() => handle.close()));
  });

interface OpenedFile {
  readonly real: string;
  readonly before: string;
  readonly grants: ResolvedFolders;
}

/**
 * Linux reports the path of the handle. Elsewhere, the path must lead to the same file before and after
 * opening.
 */
const confirmInside = (
  path: string,
  handle: FileHandle,
  { real, before, grants }: OpenedFile,
): Effect.Effect<void, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const where = yield* handlePath(handle, grants.os);
    if (where !== undefined) {
      const refusal = realPathProblem(path, where, grants);
      return refusal === undefined ? undefined : yield* Effect.fail(refusal);
    }
    const own = yield* Effect.map(
      tryFileSystem(() => handle.stat({ bigint: true })),
      identity,
    );
    const again = yield* tryFileSystem(() => realpath(real));
    const after = yield* identityAt(again);
    if (own !== before || own !== after || !isInside(again, grants.roots)) {
      return yield* Effect.fail(
        refusedCallError(`${quotePath(path)} changed while it was being opened. Try again.`),
      );
    }
  });

const handlePath = ({ fd }: FileHandle, os: NodeJS.Platform): Effect.Effect<string | undefined> =>
  os === "linux"
    ? Effect.orElseSucceed(
        tryFileSystem(() => readlink(`/proc/self/fd/${fd}`)),
        () => undefined,
      )
    : Effect.succeed(undefined);

const identityAt = (path: string): Effect.Effect<string, FileSystemError> =>
  Effect.map(
    tryFileSystem(() => stat(path, { bigint: true })),
    identity,
  );

const identity = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${dev}:${ino}`;

const fileSystemError = (code: string): FileSystemError => Object.assign(new Error(code), { code });

const notRegularError = (path: string, kind: OpenKind): ToolExecutionError =>
  refusedCallError(
    kind === "file"
      ? `${quotePath(path)} is a device, pipe or socket. Only regular files can be read.`
      : `${quotePath(path)} is not a folder. Use file-read to read a file.`,
  );
