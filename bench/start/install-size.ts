import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface InstallSize {
  readonly bytes: number;
  readonly packages: number;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The disk size that npm would need for a package of `ownBytes` with all its dependencies. */
export const installSize = (folder: string, ownBytes: number): InstallSize => {
  const sizes = new Map([[realpathSync(folder), ownBytes]]);
  for (const [at] of sizes) {
    for (const needed of neededBy(at)) if (!sizes.has(needed)) sizes.set(needed, bytesOf(needed));
  }
  return { bytes: [...sizes.values()].reduce((sum, each) => sum + each, 0), packages: sizes.size };
};

const neededBy = (folder: string): readonly string[] => {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys(dependencies), ...peers].flatMap((name) => found(name, folder) ?? []);
};

/** Resolves a package as Node does: in the nearest `node_modules`. */
const found = (name: string, from: string): string | undefined => {
  const here = join(from, "node_modules", name);
  if (existsSync(join(here, "package.json"))) return realpathSync(here);
  return dirname(from) === from ? undefined : found(name, dirname(from));
};

export const bytesOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? bytesOf(path) : statSync(path).size), 0);
