import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Files that the first page needs none of, by the chunk that they are in. The package ships few files, so there are few chunks. */
const later = [
  { name: "chart", test: /node_modules\/uplot\/|components\/chart-canvas/ },
  { name: "palette", test: /node_modules\/cmdk\/|shell\/palette/ },
  {
    name: "pages",
    test: /studio\/(pages|forms|chat)\/(?!overview)|components\/(data-table|json-view|diff|waterfall)|node_modules\/@tanstack\/(react-table|table-core|react-virtual|virtual-core)\//,
  },
];

export default defineConfig({
  root: here("."),
  base: "/",
  plugins: [react(), tailwind()],
  resolve: { alias: { "@words": here("../src/studio/words"), "@studio": here(".") } },
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
      output: { codeSplitting: { includeDependenciesRecursively: false, groups: later } },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: process.env.HAFT_STUDIO ?? "http://127.0.0.1:7334" } },
  },
});
