import { createHash, randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, unlink } from "node:fs/promises";
import * as Effect from "effect/Effect";
import * as Semaphore from "effect/Semaphore";
import { lacksHardLinks } from "../../platform/hard-links.ts";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { grantsOf, settleGrants } from "./grants.ts";
import { type FileTrouble, fileFailure, io, shownPath, withHandle } from "./io.ts";
import { type Target, withTarget } from "./parent-folder.ts";
import { mostScanned, readPiece } from "./read-range.ts";
import type { Encoding } from "./text-encoding.ts";

export interface WriteInput {
  readonly path: string;
  readonly content: string;
  readonly encoding?: Encoding;
  readonly mode?: "create" | "overwrite" | "append";
  readonly ifUnchanged?: string;
  readonly makeFolders?: boolean;
}

const { O_WRONLY, O_RDONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export const fileWriter = (settings: SkillSettings) => {
  const grants = grantsOf(settings, "write");
  const { maxBytes } = settings.files;
  // One at a time, so that two calls with the same `ifUnchanged` cannot both find the file unchanged.
  const turn = Semaphore.makeUnsafe(1);
  return (input: WriteInput): Effect.Effect<object, ToolExecutionError> =>
    Effect.gen(function* () {
      const { path, mode = "create", ifUnchanged, makeFolders = false } = input;
      const bytes = yield* bytesOf(input, maxBytes);
      if (mode === "create" && ifUnchanged !== undefined) return yield* Effect.fail(nothingToCompare);
      const settled = yield* settleGrants(grants);
      return yield* withTarget(path, settled, makeFolders, (target) => {
        const work = mode === "append" ? append(path, target, bytes) : replace(path, target, bytes, mode);
        return Effect.andThen(checkUnchanged(path, target, ifUnchanged), work);
      });
    }).pipe(Effect.mapError(fileFailure(input.path)), turn.withPermit);
};

const bytesOf = (
  { content, encoding = "utf-8" }: WriteInput,
  maxBytes: number,
): Effect.Effect<Buffer, ToolExecutionError> => {
  if (
    encoding === "base64" &&
    !/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(content)
  ) {
    return Effect.fail(refuse("The content is not base64."));
  }
  const bytes = Buffer.from(content, encoding);
  if (encoding === "latin1" && bytes.toString("latin1") !== content) {
    return Effect.fail(refuse("The content has characters that latin1 does not have; use utf-8."));
  }
  if (bytes.length <= maxBytes) return Effect.succeed(bytes);
  const why = `The content has ${bytes.length} bytes, and one call writes at most ${maxBytes}. Write the first part, then the others with mode "append".`;
  return Effect.fail(refuse(why));
};

const nothingToCompare = refuse(
  'ifUnchanged needs mode "overwrite" or "append": a new file cannot have changed.',
);

/** Written beside the file and put in its place, so that nobody ever sees a half of it. */
const replace = (path: string, target: Target, bytes: Buffer, mode: "create" | "overwrite") =>
  Effect.gen(function* () {
    const { name, at, folder, shown } = target;
    const found = yield* entryOf(path, target);
    if (found !== undefined && mode === "create") return yield* Effect.fail(troubleOf("EEXIST"));
    const temporary = at(`.${name.slice(0, 100)}.${randomUUID()}.tmp`);
    const writing = io(() => open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, found?.mode ?? 0o666));
    const placing = Effect.gen(function* () {
      yield* withHandle(writing, (handle) =>
        Effect.gen(function* () {
          yield* writeAll(handle, bytes);
          if (found !== undefined) yield* takeOver(handle, found);
          yield* io(() => handle.sync());
        }),
      );
      yield* mode === "create" ? putNew(temporary, at(name)) : io(() => rename(temporary, at(name)));
    });
    yield* Effect.ensuring(placing, Effect.ignore(io(() => unlink(temporary))));
    yield* syncFolder(folder);
    return { path: shown, bytes: bytes.length, created: found === undefined, hash: hashOf(bytes) };
  });

/** The mode is kept whatever the process masks out of new files; whose it is, as far as the process may say so. */
const takeOver = (handle: FileHandle, { uid, gid, mode }: Stats): Effect.Effect<void, FileTrouble> =>
  Effect.andThen(
    Effect.ignore(io(() => handle.chown(uid, gid))),
    io(() => handle.chmod(mode & 0o777)),
  );

/** Fails where somebody made a file of that name in the meantime, instead of replacing it. */
const putNew = (temporary: string, place: string): Effect.Effect<void, FileTrouble> =>
  Effect.catchIf(
    io(() => link(temporary, place)),
    lacksHardLinks,
    () =>
      Effect.andThen(
        withHandle(
          io(() => open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)),
          () => Effect.void,
        ),
        io(() => rename(temporary, place)),
      ),
  );

/** Added in one piece to the file itself, which keeps what others add at the same time. */
const append = (path: string, target: Target, bytes: Buffer) =>
  Effect.gen(function* () {
    const found = yield* entryOf(path, target);
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const size = yield* withHandle(
      io(() => open(target.at(target.name), flags, 0o666)),
      (handle) =>
        Effect.gen(function* () {
          const before = yield* io(() => handle.stat());
          if (!before.isFile()) return yield* Effect.fail(notRegular(path));
          yield* Effect.onError(writeAll(handle, bytes), () =>
            Effect.ignore(io(() => handle.truncate(before.size))),
          );
          yield* io(() => handle.sync());
          return before.size + bytes.length;
        }),
    );
    return { path: target.shown, bytes: size, created: found === undefined };
  });

const writeAll = (handle: FileHandle, bytes: Buffer): Effect.Effect<void, FileTrouble> =>
  Effect.gen(function* () {
    let written = 0;
    while (written < bytes.length) {
      const result = yield* io(() => handle.write(bytes, written));
      written += result.bytesWritten;
    }
  });

/** What stands under the name; anything but a file is left alone. */
const entryOf = (path: string, { at, name }: Target) =>
  Effect.gen(function* () {
    const found = yield* Effect.catchIf(
      io(() => lstat(at(name))),
      ({ code }) => code === "ENOENT",
      () => Effect.succeed(undefined),
    );
    if (found === undefined || found.isFile()) return found;
    return yield* Effect.fail(found.isDirectory() ? troubleOf("EISDIR") : notRegular(path));
  });

const checkUnchanged = (path: string, { at, name }: Target, expected: string | undefined) =>
  expected === undefined
    ? Effect.void
    : withHandle(
        io(() => open(at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)),
        (handle) =>
          Effect.gen(function* () {
            const hash = createHash("sha256");
            for (let position = 0; position <= mostScanned; ) {
              const piece = yield* readPiece(handle, position, 64 * 1024);
              if (piece.length === 0) break;
              hash.update(piece);
              position += piece.length;
            }
            if (hash.digest("hex") === expected.toLowerCase()) return;
            const why = `${shownPath(path)} has changed since it had the hash of ifUnchanged, so nothing was written. Read it again, and decide anew.`;
            return yield* Effect.fail(refuse(why));
          }),
      );

/** So that the name is on disk too. Not every system can do it for a folder. */
const syncFolder = (folder: FileHandle): Effect.Effect<void> => Effect.ignore(io(() => folder.sync()));

const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const troubleOf = (code: string): FileTrouble => Object.assign(new Error(code), { code });

const notRegular = (path: string): ToolExecutionError =>
  refuse(
    `${shownPath(path)} is not a regular file but a link, a device, a pipe or a socket, which are never written.`,
  );
