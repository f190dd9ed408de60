import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Haft, type HaftOptions } from "haft";
import { fileTokenStore } from "haft/effect";
import { describe, expect, it, onTestFinished } from "vitest";

const secret = "token-of-the-operator";

const scene = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-secret-files-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string): string => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), secret, { mode: 0o600 });
    return join(folder, path);
  };
  const open = async (credentials: NonNullable<HaftOptions["credentials"]>) => {
    const haft = await Haft.open({
      skills: ["file-read", "file-list", "file-search", "file-write"],
      config: { skills: { files: { read: [folder], write: [folder] } } },
      credentials,
      principal: { agent: "clerk", allow: ["*"] },
      policy: { rules: [{ effect: "allow", tools: ["*"], waivesApproval: true }] },
    });
    onTestFinished(() => haft.close());
    return haft as Haft;
  };
  return { folder, put, open };
};

const call = (haft: Haft, name: string, input: object): Promise<string> =>
  haft.call(name, input).then(
    (value) => JSON.stringify(value),
    (error: Error) => error.message,
  );

/** No file tool returns a part of the file or replaces it. */
const expectProtected = async (haft: Haft, folder: string, path: string): Promise<void> => {
  for (const more of [{}, { offset: 0, maxBytes: 8 }])
    expect(await call(haft, "file-read", { path, ...more })).toContain("never read");
  expect(await call(haft, "file-search", { query: "token-of" })).toContain('"matches":[]');
  expect(await call(haft, "file-search", { query: "token-of", path })).toContain("never read");
  expect(await call(haft, "file-list", { path: ".", depth: 9 })).not.toContain("bytes");
  for (const mode of ["overwrite", "append"])
    expect(await call(haft, "file-write", { path, content: "mine", mode })).toContain("never write");
  expect(readFileSync(join(folder, path), "utf8")).toBe(secret);
};

describe("files that credentials are read from", () => {
  it.each<[string, string, (path: string) => NonNullable<HaftOptions["credentials"]>]>([
    ["a file", "ada.txt", (path) => ({ file: { ada: path } })],
    ["a file of a list", "ada.txt", (path) => [{ env: "NONE_" }, { file: { ada: path } }]],
    ["a file of further sources", "ada.txt", (path) => ({ sources: [{ file: { ada: path } }] })],
    ["a folder", "own/ada", (path) => ({ file: dirname(path) })],
    ["a folder of tokens", "own/x.json", (path) => ({ tokens: dirname(path) })],
    ["a token store", "own/x.json", (path) => ({ tokens: fileTokenStore(dirname(path)) })],
  ])("are not read, searched or written by file tools: %s", async (_, name, credentials) => {
    const { folder, put, open } = scene();
    await expectProtected(await open(credentials(put(name))), folder, name);
  });

  it("are not listed or extended if they are a folder", async () => {
    const { put, open } = scene();
    const haft = await open({ file: dirname(put("own/ada")) });
    expect(await call(haft, "file-list", { path: "own" })).toContain("never read");
    expect(await call(haft, "file-list", { path: ".", depth: 9 })).not.toContain("ada");
    expect(await call(haft, "file-write", { path: "own/eve", content: "x" })).toContain("never write");
    expect(
      await call(haft, "file-write", { path: "own/new/eve", content: "x", makeFolders: true }),
    ).toContain("never write");
  });

  it("are protected where links lead, also after a link was replaced", async () => {
    const { folder, put, open } = scene();
    put("first/ada");
    put("second/ada");
    put("third/bob");
    symlinkSync("first", join(folder, "current"));
    mkdirSync(join(folder, "own"));
    symlinkSync("../third/bob", join(folder, "own", "bob"));
    const haft = await open([
      { file: { ada: join(folder, "current", "ada") } },
      { file: join(folder, "own") },
    ]);
    expect(await call(haft, "file-read", { path: "first/ada" })).toContain("never read");
    expect(await call(haft, "file-read", { path: "third/bob" })).toContain("never read");
    expect(await call(haft, "file-read", { path: "second/ada" })).toContain('"bytes":21');
    rmSync(join(folder, "current"));
    symlinkSync("second", join(folder, "current"));
    for (const path of ["first/ada", "second/ada"])
      expect(await call(haft, "file-read", { path })).toContain("never read");
  });
});
