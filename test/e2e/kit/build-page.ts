import { fileURLToPath } from "node:url";
import { build } from "vite";

const config = fileURLToPath(new URL("../../../studio/vite.config.ts", import.meta.url));

/** Builds the page of the Studio as it is in the tree into a folder of its own: `dist` may be old, or not there. */
export const buildPage = async (folder: string): Promise<void> => {
  await build({
    configFile: config,
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false },
  });
};
