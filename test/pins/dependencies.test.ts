import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
const { dependencies, devDependencies } = read("package.json");
const rivals: Readonly<Record<string, string>> = read("bench/package.json").dependencies;
const ours: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies };

it("every dependency is pinned to one exact version", () => {
  const loose = [...Object.entries(ours), ...Object.entries(rivals)].filter(
    ([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});

it("the benchmarks use the same versions of what Haft stands on", () => {
  const shared = Object.keys(rivals).filter((name) => ours[name] !== undefined);
  expect(shared).toContain("ajv");
  expect(shared.filter((name) => rivals[name] !== ours[name])).toEqual([]);
});
