import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { installPackedHaft, installSystemPackages, systemEnvironment } from "./system-packages.ts";

const usage = `usage: npm run test:system [-- what vitest takes]

Tests that start processes, PostgreSQL, browsers and foreign servers. The first run installs their packages into
test/system/node_modules.

  npm run test:system                        everything: build, pack, tests, and a part of the browser tests
  npm run test:system -- test/system/kill    only these files; builds only when they use the built package`;

const root = fileURLToPath(new URL("..", import.meta.url));
const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));

const run = async (nodeArguments: readonly string[]): Promise<void> => {
  const child = spawn(process.execPath, nodeArguments, {
    cwd: root,
    stdio: "inherit",
    env: systemEnvironment(),
  });
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on("SIGINT", forward).on("SIGTERM", forward);
  const [code] = await once(child, "exit");
  process.off("SIGINT", forward).off("SIGTERM", forward);
  if (code !== 0) process.exit(code ?? 130);
};

const testArguments = process.argv.slice(2);
if (testArguments.includes("--help")) {
  console.log(usage);
  process.exit(0);
}
installSystemPackages();
const isWhole = testArguments.length === 0;
if (isWhole || testArguments.some((word) => /frameworks|package/.test(word))) {
  await run(["scripts/build.ts"]);
  installPackedHaft();
}
await run([vitest, "run", "--config", "test/system/vitest.config.ts", ...testArguments]);
if (isWhole) await run([vitest, "run", "--config", "test/system/e2e/smoke.config.ts"]);
