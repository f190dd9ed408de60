import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const door = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^haft$/, replacement: door("index.ts") },
      { find: /^haft\/layers$/, replacement: door("layers.ts") },
      { find: /^haft\/effect$/, replacement: door("effect.ts") },
      { find: /^haft\/agent$/, replacement: door("agent.ts") },
      { find: /^haft\/gram$/, replacement: door("gram.ts") },
      { find: /^haft\/(ledger|cedar|otel|testing|mcp)$/, replacement: door("$1.ts") },
      { find: /^haft\/models$/, replacement: door("models.ts") },
      { find: /^haft\/models\/(\w[\w-]*)$/, replacement: door("models/$1.ts") },
    ],
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // On the built package: npm run package:check.
    exclude: ["**/node_modules/**", "test/package/**"],
    // As Node does it: what a CommonJS module exports is its default, unwrapped by nobody.
    deps: { interopDefault: false },
    pool: "threads",
    setupFiles: ["test/kit/fixed-seed.ts"],
  },
});
