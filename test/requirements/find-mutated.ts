import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { declaresExport, type Mutant } from "./mutant.ts";

const folders = ["src", "scripts"];

/** Source files by path from the project's root, read once. */
const sources = new Map<string, ReadonlyMap<string, string>>();

const readSources = (root: string): ReadonlyMap<string, string> => {
  const known = sources.get(root);
  if (known !== undefined) return known;
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(folder, path).replaceAll("\\", "/"),
    ),
  );
  const read = new Map(
    paths
      .filter((path) => path.endsWith(".ts") && !/\.(test|test-d|d)\.ts$/.test(path))
      .map((path) => [path, readFileSync(join(root, path), "utf8")] as const),
  );
  sources.set(root, read);
  return read;
};

/**
 * The files, from the project's root, that declare the export a mutant changes. The mutant applies if there
 * is exactly one.
 */
export const findMutated = (root: string, mutant: Mutant): readonly string[] =>
  [...readSources(root)]
    .filter(([path, code]) => path.includes(mutant.in ?? "") && declaresExport(code, mutant.export))
    .map(([path]) => path);
