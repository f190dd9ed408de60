import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Bundle, bundle } from "./bundle.ts";
import { readFlags } from "./flags.ts";

const flags = readFlags({
  "--why": "list the largest files of the root entry",
  "--write": "commit the current sizes",
  "--check": "fail if an entry grew beyond its committed size",
});

/** Committed sizes in bytes by entry. */
type Sizes = Readonly<Record<string, { readonly min: number; readonly gzip: number }>>;

const tolerance = 0.05;
const rootBound = 120_000;
const pins = new URL("../test/pins/entry-sizes.json", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const entries = Object.entries<string | { readonly default: string }>(manifest.exports).flatMap(
  ([entry, target]) =>
    typeof target === "string" ? [] : [[entry, target.default.replace("./", "")] as const],
);
const missing = entries.find(([, file]) => !existsSync(new URL(`../${file}`, import.meta.url)));
if (missing !== undefined) {
  console.error(`${missing[1]} does not exist: run npm run build first`);
  process.exit(1);
}

const bundles = new Map<string, Bundle>();
for (const [entry, file] of entries) bundles.set(entry, await bundle(file));

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(8);
console.log(`${"entry".padEnd(16)}  min KB gzip KB  loads at once`);
for (const [entry, { min, gzip, packages }] of bundles) {
  console.log(`${entry.padEnd(16)}${kilobytes(min)}${kilobytes(gzip)}  ${packages.join(" ")}`);
}

const root = bundles.get(".");
if (flags.has("--why")) {
  console.log("\nlargest files of the root entry, min KB");
  for (const [file, bytes] of root?.shares.slice(0, 30) ?? []) console.log(`${kilobytes(bytes)}  ${file}`);
}

const problems: string[] = [];
if (root !== undefined && root.gzip > rootBound) {
  problems.push(
    `the root entry is ${kilobytes(root.gzip).trim()} KB gzip; at most ${rootBound / 1000} are allowed`,
  );
}

if (flags.has("--write")) {
  const sizes: Sizes = Object.fromEntries(
    [...bundles].map(([entry, { min, gzip }]) => [entry, { min, gzip }]),
  );
  writeFileSync(pins, `${JSON.stringify(sizes, null, 2)}\n`);
} else if (flags.has("--check")) {
  const committed: Sizes = existsSync(pins) ? JSON.parse(readFileSync(pins, "utf8")) : {};
  for (const entry of new Set([...bundles.keys(), ...Object.keys(committed)])) {
    const [now, then] = [bundles.get(entry)?.gzip, committed[entry]?.gzip];
    if (now === undefined || then === undefined) {
      problems.push(
        `${entry} is ${now === undefined ? "pinned but no longer an entry point" : "not pinned yet"}`,
      );
    } else if (Math.abs(now - then) > then * tolerance) {
      const change = `${now > then ? "+" : ""}${((now / then - 1) * 100).toFixed(1)} %`;
      problems.push(
        `${entry} went from ${kilobytes(then).trim()} to ${kilobytes(now).trim()} KB gzip (${change})`,
      );
    }
  }
  if (problems.length > 0) problems.push("if this is intended, run npm run sizes -- --write");
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
