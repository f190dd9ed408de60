// Builds the page for its server.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { build } from "vite";

export const buildPage = async (folder: string, page = new URL("./page", import.meta.url)): Promise<void> => {
  await build({
    root: fileURLToPath(page),
    configFile: false,
    logLevel: "error",
    plugins: [react()],
    base: "./",
    build: { outDir: folder, emptyOutDir: true, target: "es2022" },
  });
};
