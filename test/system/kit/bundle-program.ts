import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * Puts a program and all that it imports into one file, and resolves with its path: a process that reads hundreds of
 * files would mostly be disturbed while it does.
 */
export const bundleProgram = async (entry: URL, folder: string): Promise<string> => {
  const path = fileURLToPath(entry);
  const outfile = join(folder, basename(path).replace(/\.ts$/, ".mjs"));
  await build({
    entryPoints: [path],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    outfile,
    external: ["pg-native"],
    banner: {
      js: 'import * as nodeModule from "node:module"; const require = nodeModule.createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
};
