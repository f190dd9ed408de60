import { createHash, randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { isHardLinkUnsupported } from "../../../base/platform/is-hard-link-unsupported.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { allowedFoldersOf, resolveAllowedFolders } from "./allowed-folders.ts";
import {
  type FileSystemError,
  quotePath,
  toFileFailure,
  tryFileSystem,
  withHandle,
} from "./file-system-errors.ts";
import { type FileTarget, withFileTarget } from "./file-target.ts";
import { maxScannedBytes, readChunk } from "./read-file-range.ts";
import type { Encoding } from "./text-encoding.ts";

export interface FileWriteInput {
  readonly path: string;
  readonly content: string;
  readonly encoding?: Encoding;
  readonly mode?: "create" | "overwrite" | "append";
  readonly ifUnchanged?: string;
  readonly makeFolders?: boolean;
}

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export const fileWriter = (settings: SkillSettings) => {
  const grants = allowedFoldersOf(settings, "write");
  const { maxBytes } = settings.files;
  // Two calls with the same `ifUnchanged` must not both pass the check.
  const turn = Semaphore.makeUnsafe(1);
  return (input: FileWriteInput): Effect.Effect<object, ToolExecutionError> =>
    Effect.gen(function* () {
      const { path, mode = "create", ifUnchanged, makeFolders = false } = input;
      const bytes = yield* bytesOf(input, maxBytes);
      if (mode === "create" && ifUnchanged !== undefined) return yield* Effect.fail(nothingToCompareError);
      const settled = yield* resolveAllowedFolders(grants);
      return yield* withFileTarget(path, settled, makeFolders, (target) => {
        const work =
          mode === "append" ? appendToFile(path, target, bytes) : replaceFile(path, target, bytes, mode);
        return Effect.andThen(checkUnchanged(path, target, ifUnchanged), work);
      });
    }).pipe(Effect.mapError(toFileFailure(input.path)), turn.withPermit);
};

const bytesOf = (
  { content, encoding = "utf-8" }: FileWriteInput,
  maxBytes: number,
): Effect.Effect<Buffer, ToolExecutionError> => {
  if (
    encoding === "base64" &&
    !/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(content)
  ) {
    return Effect.fail(refusedCallError("The content is not base64."));
  }
  const bytes = Buffer.from(content, encoding);
  if (encoding === "latin1" && bytes.toString("latin1") !== content) {
    return Effect.fail(refusedCallError("The content has characters that latin1 cannot encode. Use utf-8."));
  }
  if (bytes.length <= maxBytes) return Effect.succeed(bytes);
  const why = `The content has ${bytes.length} bytes, and one call writes at most ${maxBytes}. Write the first part, then the others with mode "append".`;
  return Effect.fail(refusedCallError(why));
};

const nothingToCompareError = refusedCallError(
  'ifUnchanged needs mode "overwrite" or "append": a new file cannot have changed.',
);

/** Renames a temporary file, so that readers never see a partial file. */
const replaceFile = (path: string, target: FileTarget, bytes: Buffer, mode: "create" | "overwrite") =>
  Effect.gen(function* () {
    const { name, at, folder, shown } = target;
    const found = yield* entryOf(path, target);
    if (found !== undefined && mode === "create") return yield* Effect.fail(fileSystemError("EEXIST"));
    const temporary = at(`.${name.slice(0, 100)}.${randomUUID()}.tmp`);
    const writing = tryFileSystem(() =>
      open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, found?.mode ?? 0o666),
    );
    const placing = Effect.gen(function* () {
      yield* withHandle(writing, (handle) =>
        Effect.gen(function* () {
          yield* writeAll(handle, bytes);
          if (found !== undefined) yield* copyOwnership(handle, found);
          yield* tryFileSystem(() => handle.sync());
        }),
      );
      yield* mode === "create"
        ? linkNewFile(temporary, at(name))
        : tryFileSystem(() => rename(temporary, at(name)));
    });
    yield* Effect.ensuring(placing, Effect.ignore(tryFileSystem(() => unlink(temporary))));
    yield* syncFolder(folder);
    return { path: shown, bytes: bytes.length, created: found === undefined, hash: hashOf(bytes) };
  });

/** Independent of the umask. */
const copyOwnership = (handle: FileHandle, { uid, gid, mode }: Stats): Effect.Effect<void, FileSystemError> =>
  Effect.andThen(
    Effect.ignore(tryFileSystem(() => handle.chown(uid, gid))),
    tryFileSystem(() => handle.chmod(mode & 0o777)),
  );

/** Fails if the file was created in the meantime. */
const linkNewFile = (temporary: string, place: string): Effect.Effect<void, FileSystemError> =>
  Effect.catchIf(
    tryFileSystem(() => link(temporary, place)),
    isHardLinkUnsupported,
    () =>
      Effect.andThen(
        withHandle(
          tryFileSystem(() => open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)),
          () => Effect.void,
        ),
        tryFileSystem(() => rename(temporary, place)),
      ),
  );

/** Preserves concurrent appends. */
const appendToFile = (path: string, target: FileTarget, bytes: Buffer) =>
  Effect.gen(function* () {
    const found = yield* entryOf(path, target);
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const size = yield* withHandle(
      tryFileSystem(() => open(target.at(target.name), flags, 0o666)),
      (handle) =>
        Effect.gen(function* () {
          const before = yield* tryFileSystem(() => handle.stat());
          if (!before.isFile()) return yield* Effect.fail(notRegularError(path));
          // Another link of the file may be protected.
          if (before.nlink > 1) return yield* Effect.fail(hardLinkedError(path));
          yield* Effect.onError(writeAll(handle, bytes), () =>
            Effect.ignore(tryFileSystem(() => handle.truncate(before.size))),
          );
          yield* tryFileSystem(() => handle.sync());
          return before.size + bytes.length;
        }),
    );
    return { path: target.shown, bytes: size, created: found === undefined };
  });

const writeAll = (handle: FileHandle, bytes: Buffer): Effect.Effect<void, FileSystemError> =>
  Effect.gen(function* () {
    let written = 0;
    while (written < bytes.length) {
      const result = yield* tryFileSystem(() => handle.write(bytes, written));
      written += result.bytesWritten;
    }
  });

/** Fails for anything except a regular file. */
const entryOf = (path: string, { at, name }: FileTarget) =>
  Effect.gen(function* () {
    const found = yield* Effect.catchIf(
      tryFileSystem(() => lstat(at(name))),
      ({ code }) => code === "ENOENT",
      () => Effect.succeed(undefined),
    );
    if (found === undefined || found.isFile()) return found;
    return yield* Effect.fail(found.isDirectory() ? fileSystemError("EISDIR") : notRegularError(path));
  });

const checkUnchanged = (path: string, { at, name }: FileTarget, expected: string | undefined) =>
  expected === undefined
    ? Effect.void
    : withHandle(
        tryFileSystem(() => open(at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
        (handle) =>
          Effect.gen(function* () {
            const hash = createHash("sha256");
            for (let position = 0; position <= maxScannedBytes; ) {
              const piece = yield* readChunk(handle, position, 64 * 1024);
              if (piece.length === 0) break;
              hash.update(piece);
              position += piece.length;
            }
            if (hash.digest("hex") === expected.toLowerCase()) return;
            const why = `${quotePath(path)} has changed: its hash is not the one in ifUnchanged, so nothing was written. Read the file again before you change it.`;
            return yield* Effect.fail(refusedCallError(why));
          }),
      );

/** Not every system supports this for folders. */
const syncFolder = (folder: FileHandle): Effect.Effect<void> =>
  Effect.ignore(tryFileSystem(() => folder.sync()));

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const fileSystemError = (code: string): FileSystemError => Object.assign(new Error(code), { code });

const hardLinkedError = (path: string): ToolExecutionError =>
  refusedCallError(
    `${quotePath(path)} has hard links, so appending would change other files too. Use mode "overwrite".`,
  );

const notRegularError = (path: string): ToolExecutionError =>
  refusedCallError(
    `${quotePath(path)} is a link, device, pipe or socket. Only regular files can be written.`,
  );
