import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { displayNameOf, type ResolvedFolders } from "./allowed-folders.ts";
import { type FileSystemError, tryFileSystem, withHandle } from "./file-system-errors.ts";
import { openInside } from "./open-inside.ts";

export const maxVisited = 20_000;

/** Listed only if their path is given. */
const skippedFolders: ReadonlySet<string> = new Set(["node_modules"]);

export interface WalkedEntry {
  readonly real: string;
  readonly path: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

export interface WalkResult {
  readonly entries: readonly WalkedEntry[];
  readonly isCut: boolean;
}

/** Sorted. Does not follow links. */
export const walkFiles = (
  path: string,
  real: string,
  grants: ResolvedFolders,
  depth: number,
): Effect.Effect<WalkResult, ToolExecutionError | FileSystemError> =>
  Effect.gen(function* () {
    const entries: WalkedEntry[] = [];
    const folders = [{ real, depth: 1 }];
    for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
      const reading = readFolder(path, next.real, grants);
      // Unreadable subfolders are skipped.
      const names = next.real === real ? yield* reading : yield* Effect.orElseSucceed(reading, () => []);
      for (const each of names) {
        if (each.name.startsWith(".") && !grants.hidden) continue;
        const place = join(next.real, each.name);
        const kind = kindOf(each);
        entries.push({ real: place, path: displayNameOf(place, grants), kind });
        if (entries.length >= maxVisited) return { entries: sortByName(entries), isCut: true };
        if (kind === "folder" && next.depth < depth && !skippedFolders.has(each.name)) {
          folders.push({ real: place, depth: next.depth + 1 });
        }
      }
    }
    return { entries: sortByName(entries), isCut: false };
  });

/** Checked before reading. On Linux the names come from the open handle. */
const readFolder = (path: string, real: string, folders: ResolvedFolders) =>
  withHandle(openInside(path, real, folders, "folder"), ({ fd }) =>
    tryFileSystem(() =>
      readdir(folders.os === "linux" ? `/proc/self/fd/${fd}` : real, { withFileTypes: true }),
    ),
  );

const kindOf = (entry: Dirent): WalkedEntry["kind"] => {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
};

const sortByName = (entries: readonly WalkedEntry[]): readonly WalkedEntry[] =>
  [...entries].sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0));
