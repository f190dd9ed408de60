import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readFlags } from "./flags.ts";
import { completeLockfile, type Lockfile, packageNameOf, withoutIntegrity } from "./lockfile.ts";

const isCheck = readFlags({ "--check": "change nothing; fail if something is missing" }).has("--check");

/**
 * Reads the integrity from the registry. A version that it does not have cannot be locked: choose another
 * one.
 */
const integrityOf = (name: string, version: string): string => {
  const words = ["view", `${name}@${version}`, "dist.integrity", "--json", "--loglevel=error"];
  return JSON.parse(execFileSync("npm", words, { encoding: "utf8" }));
};

const withIntegrity = (lock: Lockfile, paths: readonly string[]): Lockfile => {
  const packages = { ...lock.packages };
  for (const path of paths) {
    const { version, ...entry } = packages[path]!;
    packages[path] = { version: version!, integrity: integrityOf(packageNameOf(path), version!), ...entry };
  }
  return { ...lock, packages };
};

for (const name of ["package-lock.json", "bench/package-lock.json", "test/system/package-lock.json"]) {
  const file = new URL(`../${name}`, import.meta.url);
  if (!existsSync(file)) continue;
  const { lock, added, stripped } = completeLockfile(JSON.parse(readFileSync(file, "utf8")));
  const unverified = withoutIntegrity(lock);
  if (added.length === 0 && stripped === 0 && unverified.length === 0) {
    console.log(`${name} is complete`);
  } else if (isCheck) {
    console.error(
      `${name} lacks ${added.length} packages and ${unverified.length} integrity hashes, and names ${stripped} hosts: run npm run lockfile`,
    );
    for (const path of new Set([...added, ...unverified])) console.error(`  ${path}`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, `${JSON.stringify(withIntegrity(lock, unverified), null, 2)}\n`);
    console.log(
      `${name}: ${added.length} packages and ${unverified.length} integrity hashes added, ${stripped} hosts removed`,
    );
  }
}
