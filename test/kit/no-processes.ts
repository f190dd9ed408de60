import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { afterEach } from "vitest";

const attempts: string[] = [];

/** `npm test` starts no processes: tests that need one belong to `test/system`. */
const refuseProcess =
  (name: string) =>
  (command: unknown): never => {
    attempts.push(`child_process.${name}(${JSON.stringify(command)})`);
    throw new Error(
      `npm test starts no processes. Move this test to test/system. Called: ${attempts.at(-1)}`,
    );
  };

const processFunctions = [
  "spawn",
  "spawnSync",
  "fork",
  "exec",
  "execSync",
  "execFile",
  "execFileSync",
] as const;
for (const name of processFunctions) Object.assign(childProcess, { [name]: refuseProcess(name) });
syncBuiltinESMExports();

// The code under test may have caught the error above.
afterEach(() => {
  const [attempt] = attempts.splice(0);
  if (attempt !== undefined)
    throw new Error(`npm test starts no processes. Move this test to test/system. Called: ${attempt}`);
});
