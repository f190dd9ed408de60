import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, describe, expect, it } from "vitest";
import { fileSandbox } from "../../../../test/kit/file-sandbox.ts";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { type FileListInput, fileLister, globMatcher } from "./file-lister.ts";
import { type FileSearchInput, fileSearcher } from "./file-searcher.ts";

const world = fileSandbox();
afterAll(() => world[Symbol.dispose]());
const { root, outside } = world;
mkdirSync(join(root, "sub/more"));
mkdirSync(join(root, "node_modules"));
world.write("sub/a.md", "# Alpha\nTODO: one\r\n");
world.write("sub/more/b.md", "todo: two\nnothing\n");
world.write("sub/c.ts", "const a = 1; // TODO (three)\n");
world.write("node_modules/d.md", "TODO: four");
world.write(".hidden.md", "TODO: five");
world.write("bytes.dat", Buffer.from("TODO\0"));
world.link("out", outside);
const settings = skillSettings({ files: { read: [root] } });

interface Listed {
  readonly entries: readonly { readonly path: string; readonly kind: string; readonly bytes?: number }[];
  readonly cut: boolean;
  readonly note?: string;
}
const list = (input: FileListInput) => Effect.runPromise(fileLister(settings)(input)) as Promise<Listed>;
const paths = async (input: FileListInput): Promise<readonly string[]> =>
  (await list(input)).entries.map(({ path }) => path);

const search = (input: FileSearchInput) => Effect.runPromise(fileSearcher(settings)(input));
const lines = async (input: FileSearchInput): Promise<readonly string[]> =>
  (await search(input)).matches.map(({ path, line }) => `${path}:${line}`);

const refused = <A>(effect: Effect.Effect<A, Error>): Promise<string> =>
  Effect.runPromise(Effect.map(Effect.flip(effect), ({ message }) => message));

describe("file-list", () => {
  it("lists one folder in order with kinds and sizes, without hidden names", async () => {
    expect((await list({})).entries).toEqual([
      { path: "bytes.dat", kind: "file", bytes: 5 },
      { path: "in.txt", kind: "file", bytes: 6 },
      { path: "node_modules", kind: "folder" },
      { path: "out", kind: "link" },
      { path: "sub", kind: "folder" },
    ]);
    expect(await paths({ path: "sub" })).toEqual(["sub/a.md", "sub/c.ts", "sub/more"]);
  });

  it("descends by depth or by glob, never through a link or into node_modules", async () => {
    expect(await paths({ glob: "**/*.md" })).toEqual(["sub/a.md", "sub/more/b.md"]);
    expect(await paths({ path: "sub", depth: 2, glob: "*.{md,ts}" })).toEqual([
      "sub/a.md",
      "sub/c.ts",
      "sub/more/b.md",
    ]);
    expect(await paths({ path: "node_modules" })).toEqual(["node_modules/d.md"]);
  });

  it("stops at its limit and continues after the last path", async () => {
    const first = await list({ limit: 2 });
    expect(first).toMatchObject({
      cut: true,
      note: 'There are more entries. Call again with after: "in.txt".',
    });
    expect(await paths({ after: "in.txt" })).toEqual(["node_modules", "out", "sub"]);
  });

  it("reports what is wrong with a path", async () => {
    expect(await refused(fileLister(settings)({ path: "in.txt" }))).toContain("Use file-read");
    expect(await refused(fileLister(settings)({ path: "out" }))).toContain("outside");
    expect(await refused(fileLister(settings)({ path: "none" }))).toContain("does not exist");
  });
});

describe("file-search", () => {
  it("finds literal text with the file and the line", async () => {
    expect(await search({ query: "TODO" })).toEqual({
      matches: [
        { path: "sub/a.md", line: 2, text: "TODO: one" },
        { path: "sub/c.ts", line: 1, text: "const a = 1; // TODO (three)" },
      ],
      files: 5,
      cut: false,
      skipped: { binary: 1, large: 0, unreadable: 0, longLines: 0 },
    });
    expect(await lines({ query: "TODO (" })).toEqual(["sub/c.ts:1"]);
    expect(await lines({ query: "todo", ignoreCase: true })).toEqual([
      "sub/a.md:2",
      "sub/c.ts:1",
      "sub/more/b.md:1",
    ]);
  });

  it("accepts a regex and skips lines that take too long", async () => {
    expect(await lines({ query: "^[Tt][Oo][Dd][Oo]: (one|two)$", regex: true })).toEqual([
      "sub/a.md:2",
      "sub/more/b.md:1",
    ]);
    world.write("sub/evil.txt", `${"a".repeat(1_900)}!`);
    expect(await lines({ query: "^(a+)+$", regex: true, glob: "evil.txt" })).toEqual([]);
    world.write("sub/evil.txt", `${"ab".repeat(500_000)}\nabc`);
    const costly = { query: "[ab]*a[ab]{900}c|abc", regex: true, glob: "evil.txt" };
    expect(await search(costly)).toMatchObject({ matches: [{ line: 2 }], skipped: { longLines: 1 } });
  });

  it("searches in a folder, a file or a glob", async () => {
    expect(await lines({ query: "o", path: "sub/more" })).toEqual(["sub/more/b.md:1", "sub/more/b.md:2"]);
    expect(await lines({ query: "TODO", path: "sub/c.ts" })).toEqual(["sub/c.ts:1"]);
    expect(await lines({ query: "TODO", glob: "**/*.ts" })).toEqual(["sub/c.ts:1"]);
  });

  it("stops at its limit and reports it", async () => {
    expect(await search({ query: "a", limit: 1 })).toMatchObject({ cut: true, matches: { length: 1 } });
  });

  it("refuses a query that it cannot match, with the reason", async () => {
    expect(await refused(fileSearcher(settings)({ query: "(?<=a)b", regex: true }))).toContain(
      "literal search",
    );
    expect(await refused(fileSearcher(settings)({ query: "(", regex: true }))).toContain("cannot be used");
    expect(await refused(fileSearcher(settings)({ query: "a", regex: true, ignoreCase: true }))).toContain(
      "[Tt]odo",
    );
    expect(await refused(fileSearcher(settings)({ query: "a", path: "../proj-evil" }))).toContain("outside");
  });
});

describe("glob", () => {
  it.each([
    ["*.md", "a.md", true],
    ["*.md", "x/a.md", true],
    ["x/*.md", "x/y/a.md", false],
    ["**/*.md", "a.md", true],
    ["**/*.md", "x/y/a.md", true],
    ["x/**", "x/y/z", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["*.{ts,js}", "a.js", true],
    ["*.{ts,js}", "a.rs", false],
    ["a+(b).txt", "a+(b).txt", true],
    ["a.c", "abc", false],
    ["{a", "{a", true],
  ])("%j matches %j: %j", (glob, path, fits) => {
    expect(globMatcher(glob)(path)).toBe(fits);
  });

  it("matches many stars in bounded time", () => {
    expect(globMatcher(`${"*a".repeat(60)}b`)("a".repeat(5_000))).toBe(false);
  });
});
