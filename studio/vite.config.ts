import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The package ships few files. */
const lazyEntries = ["later.ts", "components/chart-canvas.tsx"];

type FindModule = (id: string) => { readonly importedIds: readonly string[] } | null;

const reachableModules = (from: string, find: FindModule, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(from)) return seen;
  seen.add(from);
  for (const id of find(from)?.importedIds ?? []) reachableModules(id, find, seen);
  return seen;
};

/** Modules of the first page, and those shared by several chunks, go into `main`. */
const createChunkNamer = (): ((id: string, find: FindModule) => string | null) => {
  let found:
    | { readonly first: ReadonlySet<string>; readonly others: readonly ReadonlySet<string>[] }
    | undefined;
  return (id, find) => {
    found ??= {
      first: reachableModules(here("main.tsx"), find),
      others: lazyEntries.map((file) => reachableModules(here(file), find)),
    };
    const { first, others } = found;
    const isShared = others.filter((modules) => modules.has(id)).length > 1;
    return first.has(id) || isShared || id.includes("rolldown/runtime") ? "main" : null;
  };
};
const chunk = createChunkNamer();

export default defineConfig({
  root: here("."),
  base: "/",
  plugins: [react(), tailwind()],
  resolve: { alias: { "@api": here("../src/server/studio-api/schemas"), "@studio": here(".") } },
  // The page may be mounted below a path, which the server inserts into index.html.
  experimental: {
    renderBuiltUrl: (file, { hostType }) => (hostType === "html" ? `/${file}` : { relative: true }),
  },
  build: {
    outDir: here("../dist/studio"),
    emptyOutDir: true,
    sourcemap: false,
    cssCodeSplit: false,
    target: ["chrome125", "firefox128", "safari17.5"],
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              debugName: "first-need",
              name: (id, context) => chunk(id, (each) => context.getModuleInfo(each)),
            },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: process.env.HAFT_STUDIO ?? "http://127.0.0.1:7334" } },
  },
});
