import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";

/** `npm run test:busy [-- what vitest takes]`: the tests while two loops keep each core busy. They must pass all the same. */
const loops = Array.from({ length: 2 * availableParallelism() }, () =>
  spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
);
const stop = (): void => {
  for (const loop of loops) loop.kill("SIGKILL");
};
process.once("SIGINT", stop);
process.once("exit", stop);
const vitest = new URL("vitest.mjs", import.meta.resolve("vitest/package.json"));
const tests = spawn(process.execPath, [vitest.pathname, "run", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.once("SIGTERM", () => {
  tests.kill();
});
const [code] = await once(tests, "exit");
stop();
process.exit(code ?? 1);
