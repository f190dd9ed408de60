import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Installed {
  /** A folder with a `node_modules` that contains haft and its dependencies. */
  readonly folder: string;
  readonly tarball: string;
  /** Paths inside the tarball. */
  readonly files: readonly string[];
  readonly [Symbol.dispose]: () => void;
}

/**
 * Installs the packed tarball. Its dependencies are linked, so that nothing is fetched; `more` adds packages.
 */
export const installed = (...more: readonly string[]): Installed => {
  const folder = mkdtempSync(join(tmpdir(), "haft-package-"));
  const run = (command: string, ...words: readonly string[]): string =>
    execFileSync(command, words, { cwd: folder, encoding: "utf8" });
  run("npm", "pack", root, "--ignore-scripts", "--loglevel=error");
  const { name, version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const tarball = join(folder, `${name}-${version}.tgz`);
  const files = run("tar", "-xzvf", tarball).trim().split("\n");
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  renameSync(join(folder, "package"), join(modules, name));
  for (const dependency of [...Object.keys(dependencies), ...more]) {
    mkdirSync(dirname(join(modules, dependency)), { recursive: true });
    symlinkSync(join(root, "node_modules", dependency), join(modules, dependency), "dir");
  }
  return {
    folder,
    tarball,
    files: files.map((file) => file.replace(/^package\//, "")),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
};
