import { fileURLToPath } from "node:url";
import { build } from "vite";

const config = fileURLToPath(new URL("../../../../studio/vite.config.ts", import.meta.url));

/** Builds the page of the Studio as it is in the tree into a folder of its own: `dist` may be old, or not there. */
export const buildPage = async (folder: string): Promise<void> => {
  const { NODE_ENV } = process.env;
  // As it ships: a runner of tests would have React's slow twin built, which checks more.
  process.env.NODE_ENV = "production";
  await build({
    configFile: config,
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, reportCompressedSize: false },
  });
  if (NODE_ENV === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = NODE_ENV;
};
