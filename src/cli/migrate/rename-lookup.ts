import type { Renames } from "./renames-0.3.ts";

/** Accepts the old and the new path. */
export const entryPointOf = (renames: Renames, path: string): string | undefined => {
  const renamed = renamedPath(renames, path) ?? path;
  return renamed === "haft" || renamed.startsWith("haft/") ? renamed : undefined;
};

export const renamedPath = (renames: Renames, path: string): string | undefined => {
  for (const [from, to] of Object.entries(renames.entryPoints)) {
    if (path === from) return to;
    if (from.endsWith("/") && path.startsWith(from)) return to + path.slice(from.length);
  }
  return undefined;
};

export const renamedExport = (renames: Renames, entry: string, name: string): string | undefined => {
  const { values, types } = renames.exports[entry] ?? {};
  for (const names of [values, types])
    if (names !== undefined && Object.hasOwn(names, name)) return names[name];
  return undefined;
};
