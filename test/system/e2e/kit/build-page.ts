import { fileURLToPath } from "node:url";
import { build } from "vite";

const config = fileURLToPath(new URL("../../../../studio/vite.config.ts", import.meta.url));

/** Builds the Studio page from the sources into a separate folder, because `dist` may be stale or missing. */
export const buildPage = async (folder: string): Promise<void> => {
  const { NODE_ENV } = process.env;
  // Otherwise the test runner makes React's development build.
  process.env.NODE_ENV = "production";
  await build({
    configFile: config,
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false },
  });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
};
