import type { Renames } from "./renames-0.3.ts";

/** The new path of an entry point, whether `path` is the old or the new one; undefined for other packages. */
export const entryPointOf = (renames: Renames, path: string): string | undefined => {
  const renamed = renamedPath(renames, path) ?? path;
  return renamed === "haft" || renamed.startsWith("haft/") ? renamed : undefined;
};

/** The new path, if the path of an entry point was renamed. */
export const renamedPath = (renames: Renames, path: string): string | undefined => {
  for (const [from, to] of Object.entries(renames.entryPoints)) {
    if (path === from) return to;
    if (from.endsWith("/") && path.startsWith(from)) return to + path.slice(from.length);
  }
  return undefined;
};

/** The new name, if an export was renamed. `entry` is the new path. */
export const renamedExport = (renames: Renames, entry: string, name: string): string | undefined => {
  const { values, types } = renames.exports[entry] ?? {};
  for (const names of [values, types])
    if (names !== undefined && Object.hasOwn(names, name)) return names[name];
  return undefined;
};
