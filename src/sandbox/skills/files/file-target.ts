import type { FileHandle } from "node:fs/promises";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import { displayNameOf, type ResolvedFolders, realPathProblem } from "./allowed-folders.ts";
import { type FileSystemError, quotePath, tryFileSystem, withHandle } from "./file-system-errors.ts";
import { checkedPath, openInside } from "./open-inside.ts";

/** `at` addresses a name in the open folder even if the folder's path changes. */
export interface FileTarget {
  readonly name: string;
  readonly folder: FileHandle;
  readonly at: (name: string) => string;
  readonly shown: string;
}

/** The folder is opened and checked. */
export const withFileTarget = <A, E>(
  path: string,
  folders: ResolvedFolders,
  makesFolders: boolean,
  use: (target: FileTarget) => Effect.Effect<A, E>,
): Effect.Effect<A, E | ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const wanted = yield* checkedPath(path, folders);
    if (/[\\/]$/.test(path) || folders.roots.includes(wanted)) return yield* Effect.fail(isFolderError(path));
    const real = yield* targetOf(path, wanted, folders, makesFolders);
    const refusal = realPathProblem(path, real, folders);
    if (refusal !== undefined) return yield* Effect.fail(refusal);
    const parent = dirname(real);
    return yield* withHandle(openInside(path, parent, folders, "folder"), (folder) =>
      use({
        name: basename(real),
        folder,
        at: atFolder(folder, parent, folders),
        shown: displayNameOf(real, folders),
      }),
    );
  });

/** Linux addresses the open folder by descriptor. Other systems use the path that was just checked. */
const atFolder = ({ fd }: FileHandle, parent: string, { os }: ResolvedFolders): FileTarget["at"] =>
  os === "linux" ? (name) => `/proc/self/fd/${fd}/${name}` : (name) => join(parent, name);

const targetOf = (
  path: string,
  wanted: string,
  folders: ResolvedFolders,
  makesFolders: boolean,
): Effect.Effect<string, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const existing = yield* undefinedIfMissing(tryFileSystem(() => realpath(wanted)));
    if (existing !== undefined) return existing;
    const link = yield* undefinedIfMissing(tryFileSystem(() => lstat(wanted)));
    if (link !== undefined)
      return yield* Effect.fail(
        refusedCallError(`${quotePath(path)} is a link to a file that does not exist.`),
      );
    const parent = yield* undefinedIfMissing(tryFileSystem(() => realpath(dirname(wanted))));
    if (parent !== undefined) return join(parent, basename(wanted));
    if (!makesFolders) {
      const why = `The folder of ${quotePath(path)} does not exist. Set makeFolders: true to create it.`;
      return yield* Effect.fail(refusedCallError(why));
    }
    const refusal = realPathProblem(path, yield* futureRealPath(wanted), folders);
    if (refusal !== undefined) return yield* Effect.fail(refusal);
    return join(yield* makeFolder(path, dirname(wanted), folders), basename(wanted));
  });

/** The real path that a missing file will have. */
const futureRealPath = (wanted: string): Effect.Effect<string, FileSystemError> =>
  Effect.gen(function* () {
    const existing = yield* undefinedIfMissing(tryFileSystem(() => realpath(wanted)));
    return existing ?? join(yield* futureRealPath(dirname(wanted)), basename(wanted));
  });

/** Each folder is created inside an open and checked parent. */
const makeFolder = (
  path: string,
  wanted: string,
  folders: ResolvedFolders,
): Effect.Effect<string, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const existing = yield* undefinedIfMissing(tryFileSystem(() => realpath(wanted)));
    if (existing !== undefined) return existing;
    const around: string = yield* makeFolder(path, dirname(wanted), folders);
    const real = join(around, basename(wanted));
    const refusal = realPathProblem(path, real, folders);
    if (refusal !== undefined) return yield* Effect.fail(refusal);
    yield* withHandle(openInside(path, around, folders, "folder"), (folder) =>
      Effect.catchIf(
        tryFileSystem(() => mkdir(atFolder(folder, around, folders)(basename(wanted)))),
        ({ code }) => code === "EEXIST",
        () => Effect.void,
      ),
    );
    return real;
  });

const undefinedIfMissing = <A>(
  work: Effect.Effect<A, FileSystemError>,
): Effect.Effect<A | undefined, FileSystemError> =>
  Effect.catchIf(
    work,
    ({ code }) => code === "ENOENT",
    () => Effect.succeed(undefined),
  );

const isFolderError = (path: string): ToolExecutionError =>
  refusedCallError(`${quotePath(path)} is a folder. Pass the path of a file in it.`);
