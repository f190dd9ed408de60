import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { fileSandbox, outsideText } from "../../../../test/kit/file-sandbox.ts";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { hashText } from "../../../base/json/canonical-json.ts";
import { type FileWriteInput, fileWriter } from "./file-writer.ts";

const world = fileSandbox();
afterAll(() => world[Symbol.dispose]());
const { root, outside } = world;
mkdirSync(join(root, "out"));
const writer = fileWriter(
  skillSettings({ files: { read: [root], write: [join(root, "out")], maxBytes: 100 } }),
);
const write = (input: FileWriteInput) => Effect.runPromise(writer(input));
const refused = (input: FileWriteInput): Promise<string> =>
  Effect.runPromise(Effect.map(Effect.flip(writer(input)), ({ message }) => message));
const at = (path: string): string => readFileSync(join(root, path), "utf8");

beforeEach(() => {
  world.write("out/old.txt", "old");
});

describe("file-write", () => {
  it("creates a file and does not replace an existing one", async () => {
    expect(await write({ path: "out/new.txt", content: "grün" })).toEqual({
      path: "out/new.txt",
      bytes: 5,
      created: true,
      hash: hashText("grün"),
    });
    expect(at("out/new.txt")).toBe("grün");
    expect(await refused({ path: "out/new.txt", content: "other" })).toContain('mode "overwrite"');
    expect(at("out/new.txt")).toBe("grün");
  });

  it("overwrites a file, keeps its mode and leaves no other file", async () => {
    chmodSync(join(root, "out/old.txt"), 0o640);
    const before = readdirSync(join(root, "out"));
    expect(await write({ path: "out/old.txt", content: "new", mode: "overwrite" })).toMatchObject({
      created: false,
    });
    expect(at("out/old.txt")).toBe("new");
    expect(statSync(join(root, "out/old.txt")).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(root, "out"))).toEqual(before);
  });

  it("appends to the same file and creates a missing one", async () => {
    const { ino } = statSync(join(root, "out/old.txt"));
    expect(await write({ path: "out/old.txt", content: "er", mode: "append" })).toMatchObject({ bytes: 5 });
    expect(at("out/old.txt")).toBe("older");
    expect(statSync(join(root, "out/old.txt")).ino).toBe(ino);
    expect(await write({ path: "out/log.txt", content: "a", mode: "append" })).toMatchObject({
      created: true,
    });
  });

  it("accepts bytes as base64", async () => {
    await write({ path: "out/bytes", content: "AP8=", encoding: "base64" });
    expect([...readFileSync(join(root, "out/bytes"))]).toEqual([0, 255]);
  });

  it("creates folders only with makeFolders", async () => {
    expect(await refused({ path: "out/a/b/c.txt", content: "c" })).toContain("makeFolders: true");
    expect(existsSync(join(root, "out/a"))).toBe(false);
    await write({ path: "out/a/b/c.txt", content: "c", makeFolders: true });
    expect(at("out/a/b/c.txt")).toBe("c");
  });

  it("writes nothing when the file has changed", async () => {
    const stale = {
      path: "out/old.txt",
      content: "x",
      mode: "overwrite",
      ifUnchanged: hashText("older"),
    } as const;
    expect(await refused(stale)).toContain("has changed");
    expect(at("out/old.txt")).toBe("old");
    await write({ ...stale, ifUnchanged: hashText("old").toUpperCase() });
    expect(at("out/old.txt")).toBe("x");
  });

  it("accepts one of twenty concurrent writes with the same ifUnchanged", async () => {
    const all = Array.from({ length: 20 }, (_, n) =>
      Effect.result(
        writer({ path: "out/old.txt", content: `${n}`, mode: "overwrite", ifUnchanged: hashText("old") }),
      ),
    );
    const results = await Effect.runPromise(Effect.all(all, { concurrency: "unbounded" }));
    expect(results.filter(({ _tag }) => _tag === "Success")).toHaveLength(1);
  });

  it("follows a link inside of the allowed folder and replaces its target", async () => {
    symlinkSync("old.txt", join(root, "out/link.txt"));
    expect(await write({ path: "out/link.txt", content: "by link", mode: "overwrite" })).toMatchObject({
      path: "out/old.txt",
    });
    expect(at("out/old.txt")).toBe("by link");
  });
});

describe("refused file-write", () => {
  it.each([
    ["a read-only file", "in.txt", "config.skills.files.write"],
    ["a file of a sibling folder", "../proj-evil/s.txt", "outside"],
    ["a link to an outside file", "out/file-link", "outside"],
    ["a file in a link to an outside folder", "out/folder-link/s.txt", "outside"],
    ["a new file in a link to an outside folder", "out/folder-link/new.txt", "outside"],
    ["a new folder behind a link to an outside folder", "out/folder-link/new/x.txt", "outside"],
    ["a dangling link", "out/dangling", "a link to a file that does not exist"],
    ["a folder", "out", "is a folder"],
    ["a folder with a trailing slash", "out/", "is a folder"],
    ["a hidden file", "out/.env", "hidden"],
    ["a path with a NUL", "out/a\0b", "NUL"],
  ])("does not change %s", async (_, path, said) => {
    for (const [name, target] of [
      ["file-link", join(outside, "s.txt")],
      ["folder-link", outside],
      ["dangling", join(outside, "none")],
    ] as const) {
      if (!readdirSync(join(root, "out")).includes(name)) symlinkSync(target, join(root, "out", name));
    }
    for (const mode of ["create", "overwrite", "append"] as const) {
      expect(await refused({ path, content: "changed", mode, makeFolders: true })).toContain(said);
    }
    expect(readFileSync(join(outside, "s.txt"), "utf8")).toBe(outsideText);
    expect(readdirSync(outside).sort()).toEqual(["deep", "s.txt"]);
    expect(at("in.txt")).toBe("inside");
  });

  it("does not write invalid or too large content", async () => {
    expect(await refused({ path: "out/x", content: "x".repeat(101) })).toContain('mode "append"');
    expect(await refused({ path: "out/x", content: "!", encoding: "base64" })).toContain("not base64");
    expect(await refused({ path: "out/x", content: "☃", encoding: "latin1" })).toContain("Use utf-8");
    expect(await refused({ path: "out/x", content: "", ifUnchanged: hashText("") })).toContain(
      "ifUnchanged needs",
    );
    expect(existsSync(join(root, "out/x"))).toBe(false);
  });
});
