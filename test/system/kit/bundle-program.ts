import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/**
 * Bundles a program into one file and resolves with its path. Otherwise most kills would hit the module
 * loading.
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
