import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (file: string): string => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

/** Entry points of the package, resolved to their sources. */
export const sourceAliases = [
  { find: /^haft$/, replacement: source("exports/index.ts") },
  { find: /^haft\/(models\/(?:openai|anthropic|ollama|gemini))$/, replacement: source("$1.ts") },
  { find: /^haft\/(\w[\w/-]*)$/, replacement: source("exports/$1.ts") },
];

/** Limits for a test and for a hook. Tests pass on a machine that is ten times slower than the one they were written on. */
export const limits = { testTimeout: 180_000, hookTimeout: 180_000 };

/** Tests that mock modules, or check which modules are loaded first. */
const isolated = [
  "src/base/credentials/open-once.test.ts",
  "src/base/credentials/oauth/acquire-file-lock.test.ts",
  "src/base/http/wire/connector.test.ts",
  "src/ledger/durable/leases/process-identity.test.ts",
  "src/ledger/durable/payloads/key-file.test.ts",
  "src/models/anthropic.test.ts",
  "src/models/read-base-url.test.ts",
  "src/base/schema/compile-schema.test.ts",
];

/** `npm test`: everything that runs in this process or over loopback sockets. The rest is in `test/system`. */
export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    // As Node does it: the default export of a CommonJS module is `module.exports`.
    deps: { interopDefault: false },
    pool: "threads",
    maxWorkers: availableParallelism(),
    globalSetup: "test/kit/temporary-folder.ts",
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
