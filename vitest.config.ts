import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/kit/longest-first.ts";

const door = (file: string) => fileURLToPath(new URL(`./src/${file}`, import.meta.url));

/** Tests beside the source that change what other files see: clocks, modules, the environment, or the process itself. */
const alone = [
  "src/call/7-record/failing-ledger.test.ts",
  "src/credentials/{credentials,first-use}.test.ts",
  "src/credentials/secrets/secrets.test.ts",
  "src/gateway/call/{held-calls,run-call,tasks}.test.ts",
  "src/gateway/http/legacy-sessions.test.ts",
  "src/http/wire/connector.test.ts",
  "src/ledger/sqlite/faults.test.ts",
  "src/ledger/durable/owners/host.test.ts",
  "src/mcp/client/auth/sign-in/open-in-browser.test.ts",
  "src/mcp/client/session/request/{deadline,tasks}.test.ts",
  "src/mcp/client/session/questions.test.ts",
  "src/models/**/*.test.ts",
  "src/schema/compile-schema.test.ts",
  "src/server/auth/jwt.test.ts",
  "src/server/wire/*.test.ts",
  "src/testing/**/*.test.ts",
];

/** Tests of the whole that start nothing which others would notice. */
const together = [
  "test/*.test.ts",
  "test/{decorators,exports,pins,regression,scripts}/**/*.test.ts",
  "test/approvals/sqlite.test.ts",
];

/** Tests beside the source that use PostgreSQL. */
const postgres = [
  "src/ledger/postgres.test.ts",
  "src/ledger/postgres/*.test.ts",
  "src/ledger/beside/*.test.ts",
  "src/ledger/durable/{indexes,session-column}.test.ts",
  "src/ledger/durable/chain/{macs.postgres,migrated}.test.ts",
  "src/ledger/durable/runs/claim-race.test.ts",
  "src/ledger/durable/months/*.test.ts",
  "src/fleet/**/*.test.ts",
];

/** Programs that tests start need not compile again what another has loaded in the same run. */
const compiled = mkdtempSync(join(tmpdir(), "haft-compiled-"));
process.once("exit", () => rmSync(compiled, { recursive: true, force: true }));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^haft$/, replacement: door("index.ts") },
      { find: /^haft\/layers$/, replacement: door("layers.ts") },
      { find: /^haft\/effect$/, replacement: door("effect.ts") },
      { find: /^haft\/agent$/, replacement: door("agent.ts") },
      { find: /^haft\/gram$/, replacement: door("gram.ts") },
      {
        find: /^haft\/(ledger|cedar|selection|otel|sandbox|testing|mcp|ui|studio|fleet)$/,
        replacement: door("$1.ts"),
      },
      { find: /^haft\/openapi$/, replacement: door("bridges/openapi.ts") },
      { find: /^haft\/bridges\/(\w[\w-]*)$/, replacement: door("bridges/$1.ts") },
      { find: /^haft\/models$/, replacement: door("models.ts") },
      { find: /^haft\/models\/(\w[\w-]*)$/, replacement: door("models/$1.ts") },
    ],
  },
  test: {
    // As Node does it: what a CommonJS module exports is its default, unwrapped by nobody.
    deps: { interopDefault: false },
    pool: "threads",
    // Vitest leaves one core alone, which on two is half of them. Much of the time goes into waiting for processes, so two more fit.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    env: { NODE_COMPILE_CACHE: compiled },
    setupFiles: ["test/kit/fixed-seed.ts"],
    // What a test may take on a machine that is busy with something else; a limit that a test is about stands in the test.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: "units",
          include: ["src/**/*.test.ts", "studio/**/*.test.ts", ...together],
          exclude: [...alone, ...postgres],
          // Most of a unit test's time was loading the same modules once more.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts", ...alone, ...postgres],
          // On the built package: npm run package:check. In a browser: npm run e2e.
          exclude: [...together, "test/package/**", "test/e2e/**"],
          globalSetup: ["test/kit/shared-postgres.ts"],
        },
      },
    ],
  },
});
