import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** On what `npm run build` made: not part of `npm test`, which needs no build. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/package/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
