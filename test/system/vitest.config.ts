import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { limits, sourceAliases } from "../../vitest.config.ts";
import { LongestFirst } from "./kit/longest-first.ts";
import { packedHaft } from "./kit/packed-haft.ts";

/** `npm run test:system`: tests that start processes, PostgreSQL, browsers and foreign servers. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    deps: { interopDefault: false },
    pool: "threads",
    // The tests mostly wait for other processes.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    setupFiles: ["test/kit/fixed-seed.ts", "test/kit/restore-globals.ts"],
    ...limits,
    projects: [
      {
        extends: true,
        resolve: { alias: sourceAliases },
        test: {
          name: "system",
          include: ["test/system/**/*.test.ts"],
          exclude: ["test/system/{e2e,frameworks,package}/**", "**/node_modules/**"],
          globalSetup: [fileURLToPath(new URL("kit/shared-postgres.ts", import.meta.url))],
        },
      },
      {
        extends: true,
        plugins: [packedHaft],
        test: { name: "frameworks", include: ["test/system/frameworks/**/*.test.ts"] },
      },
      { extends: true, test: { name: "package", include: ["test/system/package/*.test.ts"] } },
    ],
  },
});
