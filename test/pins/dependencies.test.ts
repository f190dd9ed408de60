import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { checkedEntries } from "../../scripts/build/checked-entries.ts";
import { supportedPackages } from "../../src/base/platform/peer-packages.ts";

type Versions = Readonly<Record<string, string>>;

const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
const manifest = read("package.json");
const dependencies: Versions = manifest.dependencies;
const devDependencies: Versions = manifest.devDependencies;
const peerDependencies: Versions = manifest.peerDependencies;
const rivals: Versions = read("bench/package.json").dependencies;

const others = (versions: Versions, form: RegExp) =>
  Object.entries(versions).filter(([, version]) => !form.test(version));

const exact = /^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;

it("dependencies have a caret range, so that a project shares one copy with Haft", () => {
  expect(others(dependencies, /^\^\d+\.\d+\.\d+$/)).toEqual([]);
});

it("packages for development and for benchmarks are pinned to one version", () => {
  expect(others(devDependencies, exact)).toEqual([]);
  expect(others(rivals, exact)).toEqual([]);
});

it("optional peers accept every version, so that installing Haft never fails because of one", () => {
  expect(others(peerDependencies, /^\*$/)).toEqual([]);
  const meta: Readonly<Record<string, { readonly optional: boolean }>> = manifest.peerDependenciesMeta;
  expect(Object.keys(meta).sort()).toEqual(Object.keys(peerDependencies).sort());
  expect(Object.values(meta).every(({ optional }) => optional)).toBe(true);
});

it("the supported versions of every optional peer are in the table", () => {
  expect(Object.keys(supportedPackages).sort()).toEqual(Object.keys(peerDependencies).sort());
  const names = new Set<string>(Object.keys(supportedPackages));
  expect(Object.values(checkedEntries).filter((peer) => !names.has(peer))).toEqual([]);
});

it("users install neither ajv nor development dependencies", () => {
  expect(Object.keys(dependencies).filter((name) => devDependencies[name] !== undefined)).toEqual([]);
  expect(dependencies.ajv).toBeUndefined();
});

it("the benchmarks use the versions that Haft is developed with", () => {
  const ours = { ...dependencies, ...devDependencies };
  const shared = Object.keys(rivals).filter((name) => ours[name] !== undefined);
  expect(shared).toContain("ajv");
  expect(shared.filter((name) => rivals[name] !== ours[name]!.replace(/^\^/, ""))).toEqual([]);
});
