import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { limits, sourceAliases } from "../../vitest.config.ts";
import { packedHaft } from "./kit/packed-haft.ts";
import { SlowestFirstSequencer } from "./kit/slowest-first-sequencer.ts";

const operatorSetup = fileURLToPath(new URL("kit/operator-setup.ts", import.meta.url));

/** `npm run test:system`: tests that start processes, PostgreSQL, browsers and foreign servers. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    deps: { interopDefault: false },
    pool: "threads",
    // The tests mostly wait for other processes.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowestFirstSequencer },
    globalSetup: "test/kit/temporary-folder.ts",
    setupFiles: ["test/kit/fixed-seed.ts", "test/kit/restore-globals.ts"],
    ...limits,
    projects: [
      {
        extends: true,
        resolve: { alias: sourceAliases },
        test: {
          name: "system",
          setupFiles: [operatorSetup],
          include: ["test/system/**/*.test.ts"],
          exclude: ["test/system/{e2e,frameworks,package}/**", "**/node_modules/**"],
          globalSetup: ["kit/unpack-chromium.ts", "kit/shared-postgres.ts"].map((file) =>
            fileURLToPath(new URL(file, import.meta.url)),
          ),
        },
      },
      {
        extends: true,
        plugins: [packedHaft],
        test: { name: "frameworks", include: ["test/system/frameworks/**/*.test.ts"] },
      },
      {
        extends: true,
        test: { name: "package", setupFiles: [operatorSetup], include: ["test/system/package/*.test.ts"] },
      },
    ],
  },
});
