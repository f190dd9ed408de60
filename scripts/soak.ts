import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Every test that has a long form, in that form. The everyday run takes a seeded part of it. */
const root = fileURLToPath(new URL("..", import.meta.url));
const long = ["src", "test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(folder, file))
    .filter((file) => readFileSync(join(root, file), "utf8").includes("HAFT_SOAK")),
);
console.log(`soak: ${long.length} files`);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "--testTimeout", "3600000", ...long], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, HAFT_SOAK: "1" },
});
const attacks = spawnSync(process.execPath, [join(root, "scripts", "attacks.ts")], {
  cwd: root,
  stdio: "inherit",
});
process.exit(status === 0 ? (attacks.status ?? 1) : (status ?? 1));
