import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

/** Builds the Studio page from the sources into a temporary folder, which the test removes. */
export const buildStudioPage = async (): Promise<string> => {
  const outDir = await mkdtemp(join(tmpdir(), "haft-studio-page-"));
  const configFile = fileURLToPath(new URL("../../../studio/vite.config.ts", import.meta.url));
  await build({ configFile, logLevel: "error", build: { outDir, reportCompressedSize: false } });
  return outDir;
};
