import { type Dirent, existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, normalize } from "node:path";
import { CommandUsageError } from "../command-usage-error.ts";
import { plainText } from "../screen.ts";

const modules = /\.[cm]?[jt]sx?$/;
const skipped = new Set(["node_modules", "dist", ".git"]);

export const isConfiguration = (file: string): boolean => /^haft\.config\.\w+$/.test(basename(file));

/** Does not follow symbolic links. */
export const findFiles = async (paths: readonly string[]): Promise<readonly string[]> => {
  const files = new Set<string>();
  for (const path of paths) {
    if (!existsSync(path)) throw new CommandUsageError(`${plainText(path)} does not exist.`);
    if (statSync(path).isDirectory()) await addFolder(normalize(path), files);
    else if (modules.test(path) || path.endsWith(".json")) files.add(normalize(path));
    else throw new CommandUsageError(`${plainText(path)} is not a TypeScript, JavaScript or JSON file.`);
  }
  return [...files];
};

const addFolder = async (folder: string, files: Set<string>): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) await addFolder(path, files);
    else if (entry.isFile() && isMigrated(entry)) files.add(path);
  }
};

const isMigrated = ({ name }: Dirent): boolean =>
  modules.test(name) || (isConfiguration(name) && name.endsWith(".json"));
