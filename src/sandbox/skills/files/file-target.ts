import type { FileHandle } from "node:fs/promises";
import { lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../words/errors.ts";
import { refuse } from "../refuse.ts";
import { nameFor, type RealGrants, refuseReal } from "./grants.ts";
import { type FileTrouble, io, shownPath, withHandle } from "./io.ts";
import { openReal, wantedOf } from "./open-inside.ts";

/** A name in an open folder. What is done by `at` happens in that very folder, whatever its path leads to by then. */
export interface Target {
  readonly name: string;
  readonly folder: FileHandle;
  readonly at: (name: string) => string;
  /** How the model names the file. */
  readonly shown: string;
}

/** Works on the name that a path leads to, in its folder, which is open and inside. */
export const withTarget = <A, E>(
  path: string,
  grants: RealGrants,
  makesFolders: boolean,
  use: (target: Target) => Effect.Effect<A, E>,
): Effect.Effect<A, E | ToolExecutionError | FileTrouble> =>
  Effect.gen(function* () {
    const wanted = yield* wantedOf(path, grants);
    if (/[\\/]$/.test(path) || grants.roots.includes(wanted)) return yield* Effect.fail(isFolder(path));
    const real = yield* targetOf(path, wanted, grants, makesFolders);
    const refusal = refuseReal(path, real, grants);
    if (refusal !== undefined) return yield* Effect.fail(refusal);
    const parent = dirname(real);
    return yield* withHandle(openReal(path, parent, grants, "folder"), (folder) =>
      use({
        name: basename(real),
        folder,
        at: atFolder(folder, parent, grants),
        shown: nameFor(real, grants),
      }),
    );
  });

/** Linux reaches an open folder by its number. Elsewhere it is the path that was found inside a moment ago. */
const atFolder = ({ fd }: FileHandle, parent: string, { os }: RealGrants): Target["at"] =>
  os === "linux" ? (name) => `/proc/self/fd/${fd}/${name}` : (name) => join(parent, name);

/** Where a file is, or would be: through links, as long as they lead to something. */
const targetOf = (
  path: string,
  wanted: string,
  grants: RealGrants,
  makesFolders: boolean,
): Effect.Effect<string, ToolExecutionError | FileTrouble> =>
  Effect.gen(function* () {
    const existing = yield* orMissing(io(() => realpath(wanted)));
    if (existing !== undefined) return existing;
    const link = yield* orMissing(io(() => lstat(wanted)));
    if (link !== undefined)
      return yield* Effect.fail(refuse(`${shownPath(path)} is a link that leads nowhere.`));
    const parent = yield* orMissing(io(() => realpath(dirname(wanted))));
    if (parent !== undefined) return join(parent, basename(wanted));
    if (!makesFolders) {
      const why = `The folder of ${shownPath(path)} is not there. Say makeFolders: true to make it.`;
      return yield* Effect.fail(refuse(why));
    }
    return join(yield* makeFolder(path, dirname(wanted), grants), basename(wanted));
  });

/** Makes a folder and those around it that are missing, each inside of one that is open. */
const makeFolder = (
  path: string,
  wanted: string,
  grants: RealGrants,
): Effect.Effect<string, ToolExecutionError | FileTrouble> =>
  Effect.gen(function* () {
    const existing = yield* orMissing(io(() => realpath(wanted)));
    if (existing !== undefined) return existing;
    const around: string = yield* makeFolder(path, dirname(wanted), grants);
    const real = join(around, basename(wanted));
    const refusal = refuseReal(path, real, grants);
    if (refusal !== undefined) return yield* Effect.fail(refusal);
    yield* withHandle(openReal(path, around, grants, "folder"), (folder) =>
      Effect.catchIf(
        io(() => mkdir(atFolder(folder, around, grants)(basename(wanted)))),
        ({ code }) => code === "EEXIST",
        () => Effect.void,
      ),
    );
    return real;
  });

const orMissing = <A>(work: Effect.Effect<A, FileTrouble>): Effect.Effect<A | undefined, FileTrouble> =>
  Effect.catchIf(
    work,
    ({ code }) => code === "ENOENT",
    () => Effect.succeed(undefined),
  );

const isFolder = (path: string): ToolExecutionError =>
  refuse(`${shownPath(path)} is a folder. Name a file in it.`);
