import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { configDirectory, openTrustStore } from "./trust-store.ts";

const scene = () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-trust-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const directory = join(folder, "config");
  return { folder, directory, store: openTrustStore(directory) };
};

const entry = (path: string) => ({ path, at: "2026-01-01T00:00:00.000Z" });

const addFolder = (store: ReturnType<typeof openTrustStore>, path: string) =>
  store.update((entries) => ({ ...entries, folders: [...entries.folders, entry(path)] }));

const isPosix = process.getuid !== undefined;

describe("trust store", () => {
  it("is empty without a file, and reading creates none", async () => {
    const { store, directory } = scene();
    expect(await store.read()).toEqual({ entries: { folders: [], launches: [] } });
    expect(() => statSync(directory)).toThrow();
  });

  it("returns what this and another instance have written", async () => {
    const { store, directory } = scene();
    await addFolder(store, "/one");
    await addFolder(openTrustStore(directory), "/two");
    expect((await openTrustStore(directory).read()).entries.folders.map(({ path }) => path)).toEqual([
      "/one",
      "/two",
    ]);
  });

  it("keeps the entries of concurrent writers", async () => {
    const { directory } = scene();
    const paths = Array.from({ length: 12 }, (_, at) => `/folder-${at}`);
    await Promise.all(paths.map((path) => addFolder(openTrustStore(directory), path)));
    const { entries, problem } = await openTrustStore(directory).read();
    expect(problem).toBeUndefined();
    expect(entries.folders.map(({ path }) => path).sort()).toEqual([...paths].sort());
  });

  it.runIf(isPosix)("restricts its files and its folder to its user", async () => {
    const { store, directory } = scene();
    await addFolder(store, "/one");
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of ["trust.json", "trust.key"])
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  const ruin: Readonly<Record<string, (directory: string) => void>> = {
    "an entry that was added by hand": (directory) => {
      const file = join(directory, "trust.json");
      const value = JSON.parse(readFileSync(file, "utf8"));
      value.folders.push(entry("/evil"));
      writeFileSync(file, JSON.stringify(value));
    },
    "another key": (directory) =>
      writeFileSync(join(directory, "trust.key"), Buffer.alloc(32).toString("base64")),
    "a key of another length": (directory) => writeFileSync(join(directory, "trust.key"), "c2hvcnQ="),
    "a link in the place of the key": (directory) => {
      const key = join(directory, "trust.key");
      writeFileSync(join(directory, "copy.key"), readFileSync(key), { mode: 0o600 });
      rmSync(key);
      symlinkSync(join(directory, "copy.key"), key);
    },
    "a folder in its place": (directory) => {
      rmSync(join(directory, "trust.json"));
      mkdirSync(join(directory, "trust.json"));
    },
    "a missing key": (directory) => rmSync(join(directory, "trust.key")),
    "text that is not JSON": (directory) => writeFileSync(join(directory, "trust.json"), "{"),
    "a link in its place": (directory) => {
      const file = join(directory, "trust.json");
      writeFileSync(join(directory, "copy.json"), readFileSync(file), { mode: 0o600 });
      rmSync(file);
      symlinkSync(join(directory, "copy.json"), file);
    },
    ...(isPosix
      ? {
          "a file that others can write": (directory: string) =>
            chmodSync(join(directory, "trust.json"), 0o666),
          "a key that others can read": (directory: string) => chmodSync(join(directory, "trust.key"), 0o644),
          "a folder that others can change": (directory: string) => chmodSync(directory, 0o777),
        }
      : {}),
  };

  it.each(Object.keys(ruin))("is empty and gives a reason for %s", async (name) => {
    const { store, directory } = scene();
    await addFolder(store, "/one");
    ruin[name]!(directory);
    const { entries, problem } = await store.read();
    expect(entries).toEqual({ folders: [], launches: [] });
    expect(problem).toContain("trust.json is ignored");
  });

  it.runIf(isPosix)("is not written to a folder that other users can change", async () => {
    const { folder } = scene();
    const shared = join(folder, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    await expect(addFolder(openTrustStore(shared), "/one")).rejects.toThrow("can be changed by other users");
    expect(statSync(shared).mode & 0o777).toBe(0o777);
  });

  it("starts empty after its file was changed by hand", async () => {
    const { store, directory } = scene();
    await addFolder(store, "/one");
    ruin["an entry that was added by hand"]!(directory);
    await addFolder(store, "/two");
    const { entries, problem } = await store.read();
    expect(problem).toBeUndefined();
    expect(entries.folders.map(({ path }) => path)).toEqual(["/two"]);
  });
});

describe("configuration directory", () => {
  it("comes from the environment, most specific variable first", () => {
    const all = { HAFT_CONFIG_DIR: "/a", XDG_CONFIG_HOME: "/b", HOME: "/c" };
    expect(configDirectory(all, "linux")).toBe("/a");
    expect(configDirectory({ ...all, HAFT_CONFIG_DIR: "" }, "linux")).toBe("/b/haft");
    expect(configDirectory({ HOME: "/c" }, "linux")).toBe("/c/.config/haft");
  });
});
