import { expect, it } from "vitest";
import { completeLockfile, packageNameOf, platformOf, withoutIntegrity } from "../../scripts/lockfile.ts";

const owner = { version: "1.2.0", dev: true, optionalDependencies: { "@x/cli-darwin-arm64": "1.2.0" } };

it("an optional package missing from the lock is added for its platform, with the dev flag of its owner", () => {
  const { lock, added } = completeLockfile({ packages: { "node_modules/x": owner } });
  expect(added).toEqual(["node_modules/@x/cli-darwin-arm64"]);
  expect(lock.packages["node_modules/@x/cli-darwin-arm64"]).toEqual({
    version: "1.2.0",
    cpu: ["arm64"],
    dev: true,
    optional: true,
    os: ["darwin"],
  });
});

it("a complete lock is not changed", () => {
  const once = completeLockfile({ packages: { "node_modules/x": owner } }).lock;
  expect(completeLockfile(once)).toEqual({ lock: once, added: [], stripped: 0 });
});

it("a missing package is added below its owner if another version is at the top", () => {
  const { added } = completeLockfile({
    packages: { "node_modules/x": owner, "node_modules/@x/cli-darwin-arm64": { version: "9.0.0" } },
  });
  expect(added).toEqual(["node_modules/x/node_modules/@x/cli-darwin-arm64"]);
});

it("a package that its owner resolves from an outer folder is not missing", () => {
  const { added } = completeLockfile({
    packages: {
      "node_modules/@x/cli-darwin-arm64": { version: "1.2.0" },
      "node_modules/y/node_modules/x": owner,
    },
  });
  expect(added).toEqual([]);
});

it("an optional version range is left to npm", () => {
  const { added } = completeLockfile({
    packages: { "node_modules/x": { optionalDependencies: { fsevents: "~2.3.3" } } },
  });
  expect(added).toEqual([]);
});

it("registry hosts are removed, and links to folders are kept", () => {
  const { lock, stripped } = completeLockfile({
    packages: {
      "node_modules/a": { version: "1.0.0", resolved: "https://registry.example/a-1.0.0.tgz" },
      "node_modules/b": { resolved: "packages/b", link: true },
    },
  });
  expect(stripped).toBe(1);
  expect(lock.packages).toEqual({
    "node_modules/a": { version: "1.0.0" },
    "node_modules/b": { resolved: "packages/b", link: true },
  });
});

it.each([
  ["@rolldown/binding-linux-x64-musl", { cpu: ["x64"], libc: ["musl"], os: ["linux"] }],
  ["@rolldown/binding-linux-s390x-gnu", { cpu: ["s390x"], libc: ["glibc"], os: ["linux"] }],
  ["@rolldown/binding-linux-arm-gnueabihf", { cpu: ["arm"], os: ["linux"] }],
  ["@rolldown/binding-win32-arm64-msvc", { cpu: ["arm64"], os: ["win32"] }],
  ["@rolldown/binding-wasm32-wasi", { cpu: ["wasm32"] }],
  ["lightningcss-darwin-x64", { cpu: ["x64"], os: ["darwin"] }],
])("the name %s determines its platform", (name, platform) => {
  expect(platformOf(name)).toEqual(platform);
});

it("packages without an integrity hash are found, links and bundled packages are not", () => {
  const packages = {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-x" },
    "node_modules/c/node_modules/@b/d": { version: "1.0.0" },
    "node_modules/e": { link: true },
    "node_modules/f": { version: "1.0.0", inBundle: true },
  };
  expect(withoutIntegrity({ packages })).toEqual(["node_modules/c/node_modules/@b/d"]);
  expect(packageNameOf("node_modules/c/node_modules/@b/d")).toBe("@b/d");
});
