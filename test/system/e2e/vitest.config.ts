import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { limits, sourceAliases } from "../../../vitest.config.ts";

/** `npm run e2e`: the Studio in a real browser, built from the sources. */
export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  resolve: { alias: sourceAliases },
  test: {
    include: ["test/system/e2e/*.test.ts"],
    globalSetup: [
      "test/kit/temporary-folder.ts",
      "test/system/kit/unpack-chromium.ts",
      "test/system/kit/shared-postgres.ts",
      "test/system/e2e/kit/built-page.ts",
    ],
    setupFiles: ["test/system/kit/operator-setup.ts"],
    deps: { interopDefault: false },
    maxWorkers: 2,
    ...limits,
  },
});
