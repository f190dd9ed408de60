import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { installSystemPackages, systemEnvironment } from "./system-packages.ts";

/** Runs all tests with a long form in that form. The everyday run takes a seeded part of it. */
const root = fileURLToPath(new URL("..", import.meta.url));
const system = join("test", "system");
const long = ["src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .map((file) => join(folder, file))
    .filter((file) => readFileSync(join(root, file), "utf8").includes("HAFT_SOAK")),
);
console.log(`soak: ${long.length} files`);
installSystemPackages();
const env = { ...systemEnvironment(), HAFT_SOAK: "1" };
const run = (...words: readonly string[]): boolean =>
  spawnSync(process.execPath, words, { cwd: root, stdio: "inherit", env }).status === 0;
const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--testTimeout", "3600000"];
const isSystem = (file: string): boolean => file.startsWith(system + sep);
const passed = [
  run(...vitest, ...long.filter((file) => !isSystem(file))),
  run(...vitest, "--config", join(system, "vitest.config.ts"), ...long.filter(isSystem)),
  run(join("scripts", "attacks.ts")),
];
if (passed.includes(false)) process.exitCode = 1;
