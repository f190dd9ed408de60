import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

/** Entry points of the package, resolved to their sources. */
export const sourceAliases = [
  { find: /^haft$/, replacement: source("index.ts") },
  {
    find: /^haft\/(agent|cedar|effect|fleet|gram|layers|ledger|mcp|models|otel|sandbox|selection|studio|testing|ui)$/,
    replacement: source("$1.ts"),
  },
  { find: /^haft\/openapi$/, replacement: source("bridges/openapi.ts") },
  { find: /^haft\/(bridges|models)\/(\w[\w-]*)$/, replacement: source("$1/$2.ts") },
];

/** Limits for a test and for a hook. Tests pass on a machine that is ten times slower than the one they were written on. */
export const limits = { testTimeout: 180_000, hookTimeout: 180_000 };

/** Tests that mock modules, or check which modules are loaded first. */
const isolated = [
  "src/credentials/first-use.test.ts",
  "src/credentials/oauth/file-lock.test.ts",
  "src/ledger/durable/owners/host.test.ts",
  "src/ledger/durable/payloads/key.test.ts",
  "src/models/anthropic.test.ts",
  "src/models/base-url.test.ts",
  "src/schema/compile-schema.test.ts",
];

/** `npm test`: everything that runs in this process or over loopback sockets. The rest is in `test/system`. */
export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    // As Node does it: the default export of a CommonJS module is `module.exports`.
    deps: { interopDefault: false },
    pool: "threads",
    maxWorkers: availableParallelism(),
    setupFiles: ["test/kit/fixed-seed.ts", "test/kit/no-processes.ts", "test/kit/restore-globals.ts"],
    ...limits,
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["{src,test}/**/*.test.ts", "studio/**/*.test.ts"],
          exclude: ["test/system/**", ...isolated],
          // Loading the same modules for every file would take most of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: "isolated", include: isolated } },
    ],
  },
});
