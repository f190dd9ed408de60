import { realpath } from "node:fs/promises";
import { isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import * as Effect from "effect/Effect";
import {
  isProtectedFile,
  isSecretFile,
  isUnwritableFile,
  resolveSecretFiles,
} from "../../../base/platform/protected-files.ts";
import { below, isInside } from "../../../base/platform/real-path.ts";
import type { ToolExecutionError } from "../../../types/errors.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { quotePath, tryFileSystem } from "./file-system-errors.ts";

export interface AllowedFolders {
  readonly use: "read" | "write";
  readonly folders: readonly string[];
  /** The same for every file tool, so that a path always means the same file. */
  readonly base: string;
  readonly hidden: boolean;
  /** Only Linux reports the path of an open file. */
  readonly os: NodeJS.Platform;
}

export const allowedFoldersOf = (
  { files }: Pick<SkillSettings, "files">,
  use: AllowedFolders["use"],
  os: NodeJS.Platform = process.platform,
): AllowedFolders => ({
  use,
  os,
  folders: files[use],
  base: files.read[0] ?? files.write[0] ?? ".",
  hidden: files.hidden,
});

/** With real paths. */
export interface ResolvedFolders extends AllowedFolders {
  readonly roots: readonly string[];
  readonly realBase: string;
}

export const resolveAllowedFolders = (
  grants: AllowedFolders,
): Effect.Effect<ResolvedFolders, ToolExecutionError> =>
  Effect.gen(function* () {
    if (grants.folders.length === 0) return yield* Effect.fail(noAllowedFolderError(grants.use));
    resolveSecretFiles();
    const roots = yield* resolveFolders(grants.folders);
    const rootFolder = roots.find((root) => parse(root).root === root);
    if (rootFolder !== undefined) return yield* Effect.fail(rootFolderError(grants.use));
    if (roots.length === 0) {
      const shown = grants.folders.map(quotePath).join(", ");
      const why = `None of the folders that may be ${useText(grants.use)} exists: ${shown}. An operator sets them in config.skills.files.${grants.use}.`;
      return yield* Effect.fail(refusedCallError(why));
    }
    const realBase = (yield* resolveFolder(resolve(grants.base))) ?? roots[0]!;
    return { ...grants, roots, realBase };
  });

/** Omits folders that do not exist. */
export const resolveFolders = (folders: readonly string[]): Effect.Effect<readonly string[]> =>
  Effect.map(Effect.all(folders.map((folder) => resolveFolder(resolve(folder)))), (found) =>
    found.filter((real) => real !== undefined),
  );

const resolveFolder = (folder: string): Effect.Effect<string | undefined> =>
  Effect.orElseSucceed(
    tryFileSystem(() => realpath(folder)),
    () => undefined,
  );

const noAllowedFolderError = (use: AllowedFolders["use"]): ToolExecutionError =>
  refusedCallError(
    `No folder is granted for ${use === "read" ? "reading" : "writing"}. An operator can grant one: config: { skills: { files: { ${use}: ["./notes"] } } }.`,
  );

/** A daemon may run in the root folder, where "." would allow every file. */
const rootFolderError = (use: AllowedFolders["use"]): ToolExecutionError =>
  refusedCallError(
    `config.skills.files.${use} resolves to the root of the file system, which is never granted. An operator can list folders in it, or start haft in one.`,
  );

const useText = (use: AllowedFolders["use"]): string => (use === "read" ? "read in" : "written in");

/** Relative to every folder that contains the path. */
const isHidden = (path: string, roots: readonly string[]): boolean =>
  roots.every((root) => below(root, path)?.some((segment) => segment.startsWith(".")) !== false);

export const realPathProblem = (
  path: string,
  real: string,
  folders: ResolvedFolders,
): ToolExecutionError | undefined => {
  if (!isInside(real, folders.roots)) return outsideFoldersError(path, folders);
  const own = haftFileProblem(path, real, folders.use);
  if (own !== undefined) return own;
  if (folders.hidden || !isHidden(real, folders.roots)) return undefined;
  return refusedCallError(
    `${quotePath(path)} is hidden: its name or the name of a parent folder begins with a dot. An operator can allow hidden files: config: { skills: { files: { hidden: true } } }.`,
  );
};

export const outsideFoldersError = (path: string, grants: ResolvedFolders): ToolExecutionError => {
  const { use, roots } = grants;
  const among = roots.map((root) => quotePath(displayNameOf(root, grants))).join(", ");
  return refusedCallError(
    `${quotePath(path)} is outside the folders that may be ${useText(use)}, which are ${among}. Use a path inside them; an operator can add a folder to config.skills.files.${use}.`,
  );
};

/** Links in the path may still lead elsewhere. */
export const resolveAgainstBase = (path: string, { realBase }: ResolvedFolders): string =>
  isAbsolute(path) ? resolve(path) : resolve(join(realBase, path));

/** For a path outside, errors must not reveal whether it exists. */
export const isLexicallyInside = (wanted: string, { roots, folders }: ResolvedFolders): boolean =>
  isInside(wanted, [...roots, ...folders.map((folder) => resolve(folder))]);

export const displayNameOf = (real: string, { realBase }: ResolvedFolders): string => {
  const inner = below(realBase, real);
  if (inner === undefined) return real;
  return inner.length === 0 ? "." : relative(realBase, real).split(sep).join("/");
};

/** Files that decide what Haft runs, or record what it did. */
const haftFileName =
  /^(haft\.(config\.[^.]+|mcp\.json|lock)|.+\.openapi\.(json|yaml)|trust\.(json|key)|(haft|ledger)\.(db|sqlite3?)([-.].*)?)$/;
/** Can contain tokens of callers, and secrets in the environment of servers. */
const configurationName = /^haft\.(config\.[^.]+|mcp\.json)$/;
const ledgerName = /^(haft|ledger)\.(db|sqlite3?)([-.].*)?$/;
/** Named after its ledger. */
const keyFileName = /\.key$/;
/** Such as `haft.mcp.json.1a2b3c4d.new`. */
const draftSuffix = /\.[0-9a-f]{8,12}\.new$/;

/** Some file systems ignore case, normalize Unicode or drop final dots. */
const foldedName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();

/** Haft's own files are never written, and configuration, keys and tokens never read. */
const haftFileProblem = (
  path: string,
  real: string,
  use: "read" | "write",
): ToolExecutionError | undefined => {
  const parts = real.split(sep).map(foldedName);
  const name = (parts.at(-1) ?? "").replace(draftSuffix, "");
  const around = parts.slice(0, -1);
  const isSecret = keyFileName.test(name) || around.includes("mcp-tokens") || isSecretFile(real);
  // A ledger has the calls of all tenants.
  const isUnreadable = configurationName.test(name) || ledgerName.test(name) || isProtectedFile(real);
  if (use === "read")
    return isSecret || name === "trust.json" || isUnreadable
      ? refusedCallError(
          `${quotePath(path)} can contain keys or tokens, and file tools never read such files.`,
        )
      : undefined;
  const isOwn = haftFileName.test(name) || around.includes(".haft");
  return isSecret || isOwn || isProtectedFile(real) || isUnwritableFile(real)
    ? refusedCallError(
        `${quotePath(path)} is a file of Haft itself, and file tools never write such files. Only a person can change it.`,
      )
    : undefined;
};
