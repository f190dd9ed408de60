import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import rooted from "../../vitest.config.ts";

/** In a real browser, over the page as it is in the tree: not part of `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { alias: rooted.resolve?.alias },
  test: {
    include: ["test/e2e/*.test.ts"],
    globalSetup: ["test/kit/shared-postgres.ts", "test/e2e/kit/built-page.ts"],
    deps: { interopDefault: false },
    maxWorkers: 2,
    // What is waited for is seen in a browser, on a machine that is busy with something else.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
