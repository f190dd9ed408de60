import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, sep } from "node:path";
import * as Effect from "effect/Effect";
import {
  removeFolder,
  trackTemporaryFolder,
  untrackTemporaryFolder,
} from "../../base/platform/exit-cleanup.ts";
import { SandboxError } from "../../types/errors.ts";

type Files = Readonly<Record<string, Uint8Array>>;

/** Unreadable for other users. */
export const makeScratchFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-sandbox-")));
  trackTemporaryFolder(folder);
  return folder;
};

export const removeScratchFolder = (folder: string): void => {
  removeFolder(folder);
  untrackTemporaryFolder(folder);
};

export const withScratchFolder = <A, E>(
  use: (folder: string) => Effect.Effect<A, E>,
): Effect.Effect<A, E | SandboxError> =>
  Effect.acquireUseRelease(
    Effect.try({
      try: makeScratchFolder,
      catch: (cause) =>
        new SandboxError("sandbox_failed", "The sandbox cannot create a folder for its program.", {
          ran: false,
          cause,
        }),
    }),
    use,
    (folder) => Effect.sync(() => removeScratchFolder(folder)),
  );

export const pathProblem = (path: string): string | undefined => {
  const parts = path.split("/");
  const isPlain = path !== "" && normalize(path) === path && !path.includes("\0") && !path.includes("\\");
  return isPlain && !parts.includes("..") && !parts.includes("") && !parts.includes(".")
    ? undefined
    : `${JSON.stringify(path.slice(0, 100))} is not a relative path inside its folder`;
};

/** Expects paths that passed `pathProblem`. */
export const writeScratchFiles = (folder: string, files: Files): void => {
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(folder, ...path.split("/"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
};

const maxFiles = 1_000;

export type ScratchFilesResult = { readonly ok: true; readonly files: Files } | { readonly ok: false };

/** Skips links and special files. Not ok if a limit is exceeded. */
export const readScratchFiles = (folder: string, mostBytes: number): ScratchFilesResult => {
  const files: Record<string, Uint8Array> = {};
  let bytesLeft = mostBytes;
  let count = 0;
  for (const path of pathsIn(folder)) {
    count += 1;
    if (count > maxFiles) return { ok: false };
    const bytes = readBounded(join(folder, path), bytesLeft);
    if (bytes === "too long") return { ok: false };
    if (bytes === undefined) continue;
    bytesLeft -= bytes.length;
    Object.defineProperty(files, path.split(sep).join("/"), { value: bytes, enumerable: true });
  }
  return { ok: true, files };
};

export const exceedsSize = (folder: string, mostBytes: number): boolean => {
  let bytes = 0;
  let count = 0;
  for (const path of pathsIn(folder)) {
    count += 1;
    bytes += sizeOf(join(folder, path));
    if (count > maxFiles || bytes > mostBytes) return true;
  }
  return false;
};

const maxFolderDepth = 32;

/** Everything except folders. Does not follow links. */
function* pathsIn(folder: string, below = "", depth = 0): Generator<string> {
  for (const entry of entriesOf(join(folder, below))) {
    const path = join(below, entry.name);
    if (!entry.isDirectory()) yield path;
    else if (depth < maxFolderDepth) yield* pathsIn(folder, path, depth + 1);
  }
}

const entriesOf = (folder: string): readonly Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
};

const sizeOf = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

const readBounded = (file: string, mostBytes: number): Buffer | "too long" | undefined => {
  let opened: number;
  try {
    opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stat = fstatSync(opened);
    if (!stat.isFile()) return undefined;
    return stat.size > mostBytes ? "too long" : readFileSync(opened);
  } finally {
    closeSync(opened);
  }
};
