import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFlags } from "./flags.ts";
import { completeLockfile } from "./lockfile.ts";

const check = readFlags({ "--check": "change nothing; fail if something is missing" }).has("--check");

for (const name of ["package-lock.json", "bench/package-lock.json"]) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!existsSync(file)) continue;
  const { lock, added, stripped } = completeLockfile(JSON.parse(readFileSync(file, "utf8")));
  if (added.length === 0 && stripped === 0) {
    console.log(`${name} is complete`);
  } else if (check) {
    console.error(`${name} lacks ${added.length} packages and names ${stripped} hosts: run npm run lockfile`);
    for (const path of added) console.error(`  ${path}`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
    console.log(`${name}: ${added.length} packages added, ${stripped} hosts removed`);
  }
}
