import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Bundled into one file, because most kills would otherwise hit the module loading. */
export const buildServer = async (folder: string): Promise<string> => {
  const outfile = join(folder, "garbage.mjs");
  const entry = fileURLToPath(new URL("server.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    outfile,
    logLevel: "error",
  });
  return outfile;
};
