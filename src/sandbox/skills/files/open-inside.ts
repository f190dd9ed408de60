import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises";
import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import { isInside, isWrittenInside, outsideOf, type RealGrants, refuseReal, wantedPath } from "./grants.ts";
import { type FileTrouble, io, shownPath } from "./io.ts";
import { refusePath } from "./refuse-path.ts";

// Not waiting for the other end of a pipe, and not following a link that took the file's place.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0, O_NOCTTY = 0 } = constants;
const careful = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

export type OpenFlags = "file" | "folder";

/** Where a path of a caller leads. What is there may be another thing a moment later. */
export const realPathOf = (
  path: string,
  grants: RealGrants,
): Effect.Effect<string, ToolExecutionError | FileTrouble> =>
  Effect.gen(function* () {
    const wanted = yield* wantedOf(path, grants);
    const real = yield* io(() => realpath(wanted));
    const refusal = refuseReal(path, real, grants);
    return refusal === undefined ? real : yield* Effect.fail(refusal);
  });

export const wantedOf = (path: string, grants: RealGrants): Effect.Effect<string, ToolExecutionError> => {
  const reason = refusePath(path);
  if (reason !== undefined) return Effect.fail(refuse(`${shownPath(path)} ${reason}.`));
  const wanted = wantedPath(path, grants);
  return isWrittenInside(wanted, grants) ? Effect.succeed(wanted) : Effect.fail(outsideOf(path, grants));
};

/** Opens a real path. What was opened is judged, not what the path led to before: the handle is given only once it is known to be inside and of the kind that was asked for. */
export const openReal = (
  path: string,
  real: string,
  grants: RealGrants,
  kind: OpenFlags,
): Effect.Effect<FileHandle, ToolExecutionError | FileTrouble> =>
  Effect.gen(function* () {
    const before = yield* identityAt(real);
    const flags = kind === "folder" ? careful | O_DIRECTORY : careful;
    const handle = yield* io(() => open(real, flags));
    const judged = Effect.gen(function* () {
      const found = yield* io(() => handle.stat());
      if (kind === "file" && found.isDirectory()) return yield* Effect.fail(troubleOf("EISDIR"));
      if (kind === "file" ? !found.isFile() : !found.isDirectory())
        return yield* Effect.fail(notRegular(path, kind));
      yield* confirmInside(path, handle, { real, before, grants });
      return handle;
    });
    return yield* Effect.onError(judged, () => Effect.promise(() => handle.close()));
  });

interface Opened {
  readonly real: string;
  readonly before: string;
  readonly grants: RealGrants;
}

/** Linux says where an open file is. Elsewhere it must be the very file that the path leads to, before and after. */
const confirmInside = (
  path: string,
  handle: FileHandle,
  { real, before, grants }: Opened,
): Effect.Effect<void, ToolExecutionError | FileTrouble> =>
  Effect.gen(function* () {
    const where = yield* placeOfHandle(handle, grants.os);
    if (where !== undefined) {
      const refusal = refuseReal(path, where, grants);
      return refusal === undefined ? undefined : yield* Effect.fail(refusal);
    }
    const own = yield* Effect.map(
      io(() => handle.stat({ bigint: true })),
      identity,
    );
    const again = yield* io(() => realpath(real));
    const after = yield* identityAt(again);
    if (own !== before || own !== after || !isInside(again, grants.roots)) {
      return yield* Effect.fail(refuse(`${shownPath(path)} changed while it was opened; try again.`));
    }
  });

/** The path of an open file where the system tells it. */
const placeOfHandle = ({ fd }: FileHandle, os: NodeJS.Platform): Effect.Effect<string | undefined> =>
  os === "linux"
    ? Effect.orElseSucceed(
        io(() => readlink(`/proc/self/fd/${fd}`)),
        () => undefined,
      )
    : Effect.succeed(undefined);

const identityAt = (path: string): Effect.Effect<string, FileTrouble> =>
  Effect.map(
    io(() => stat(path, { bigint: true })),
    identity,
  );

const identity = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${dev}:${ino}`;

const troubleOf = (code: string): FileTrouble => Object.assign(new Error(code), { code });

const notRegular = (path: string, kind: OpenFlags): ToolExecutionError =>
  refuse(
    kind === "file"
      ? `${shownPath(path)} is not a regular file but a device, a pipe or a socket, which are never read.`
      : `${shownPath(path)} is not a folder; file-read reads a file.`,
  );
