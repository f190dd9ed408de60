import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What is loaded later, by its first file: the package ships few files, so each of these is one. */
const lazyEntries = ["later.ts", "components/chart-canvas.tsx"];

type FindModule = (id: string) => { readonly importedIds: readonly string[] } | null;

const reachableModules = (from: string, find: FindModule, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(from)) return seen;
  seen.add(from);
  for (const id of find(from)?.importedIds ?? []) reachableModules(id, find, seen);
  return seen;
};

/** Whatever the first page needs, or more than one of the later files, is one file; the rest goes with the file that needs it. */
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
  resolve: { alias: { "@api": here("../src/server/studio-api/types"), "@studio": here(".") } },
  // The page may be mounted below a path: the server writes it into index.html, and files find each other by their own place.
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
