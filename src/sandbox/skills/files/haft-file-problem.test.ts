import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it, onTestFinished } from "vitest";
import { skillSettings } from "../../../../test/kit/skill-settings.ts";
import { protectFile, protectSecretFile } from "../../../base/platform/protected-files.ts";
import { fileReader } from "./file-reader.ts";
import { type FileWriteInput, fileWriter } from "./file-writer.ts";

const scene = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "haft-own-files-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const settings = skillSettings({ files: { read: [folder], write: [folder], hidden: true } });
  const write = (path: string, more: Partial<FileWriteInput> = {}) =>
    Effect.runPromise(fileWriter(settings)({ path, content: "evil", mode: "overwrite", ...more }));
  const read = (path: string) => Effect.runPromise(fileReader(settings)({ path }));
  return { folder, write, read };
};

describe("open ledger of this process", () => {
  it("is not written by file tools, whatever its name is", async () => {
    const { folder, read, write } = scene();
    const close = protectFile(join(folder, "books.data"));
    for (const path of ["books.data", "books.data-wal", "books.data.key", "books.data.blobs/1"]) {
      await expect(write(path, { makeFolders: true })).rejects.toMatchObject({
        message: expect.stringContaining("file of Haft itself"),
      });
    }
    writeFileSync(join(folder, "books.data"), "");
    await expect(read("books.data")).rejects.toThrow("never read");
    await expect(write("books.database")).resolves.toBeDefined();
    close();
    await expect(write("books.data")).resolves.toBeDefined();
  });
});

describe("file with the secret of the operator", () => {
  it("is neither read nor written by file tools, whatever its name is", async () => {
    const { folder, read, write } = scene();
    writeFileSync(join(folder, "op"), "secret");
    protectSecretFile(join(folder, "op"));
    const refused = { message: expect.stringContaining("keys or tokens") };
    await expect(read("op")).rejects.toMatchObject(refused);
    await expect(write("op")).rejects.toMatchObject({
      message: expect.stringContaining("file of Haft itself"),
    });
  });
});

describe("file-write", () => {
  it.each([
    "haft.config.ts",
    "haft.config.json",
    "haft.mcp.json",
    "haft.lock",
    "haft.openapi.json",
    "pets.openapi.json",
    "pets.openapi.yaml",
    "haft.db",
    "haft.db-wal",
    "haft.db.key",
    "audit.sqlite.key",
    "trust.json",
    "trust.key",
    "below/haft.mcp.json",
    "./below/../haft.mcp.json",
    "HAFT.MCP.JSON",
    "Haft.Config.TS",
    "haft.mcp.json.",
    "haft.mcp\u200b.json",
    "ｈaft.lock",
    "haft.mcp.json.1a2b3c4d.new",
    ".haft/ledger.db",
    ".haft/anything",
  ])("refuses %j, a file of Haft itself", async (path) => {
    const { write } = scene();
    for (const mode of ["create", "overwrite", "append"] as const)
      await expect(write(path, { mode, makeFolders: true })).rejects.toThrow("never write");
  });

  it("refuses them through links, and through hard links", async () => {
    const { folder, write } = scene();
    writeFileSync(join(folder, "haft.mcp.json"), "{}");
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "real", "haft.lock"), "{}");
    symlinkSync(join(folder, "haft.mcp.json"), join(folder, "notes.txt"));
    symlinkSync(join(folder, "real"), join(folder, "other"));
    linkSync(join(folder, "haft.mcp.json"), join(folder, "hard.txt"));
    await expect(write("notes.txt")).rejects.toThrow("never write");
    await expect(write("other/haft.lock")).rejects.toThrow("never write");
    await expect(write("hard.txt", { mode: "append" })).rejects.toThrow("hard links");
    await write("hard.txt");
    expect(readFileSync(join(folder, "haft.mcp.json"), "utf8")).toBe("{}");
  });

  it("creates no folder on the way to a file of Haft", async () => {
    const { folder, write } = scene();
    for (const path of [".haft/anything", "new/.haft/anything", "new/haft.lock"])
      await expect(write(path, { makeFolders: true })).rejects.toThrow("never write");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(["haft.md", "my.haft.config.ts", "lock", "shop.config.ts", "keys.txt", "openapi.json"])(
    "writes %j, which only looks similar",
    async (path) => {
      const { write } = scene();
      await expect(write(path, { makeFolders: true })).resolves.toMatchObject({ created: true });
    },
  );
});

describe("file-read", () => {
  it.each(["ledger.db.key", "LEDGER.DB.KEY", "trust.key", ".haft/mcp-tokens/x.json"])(
    "refuses %j, which holds keys or tokens",
    async (path) => {
      const { folder, read } = scene();
      mkdirSync(join(folder, ".haft", "mcp-tokens"), { recursive: true });
      writeFileSync(join(folder, path), "secret");
      symlinkSync(join(folder, path), join(folder, "link.txt"));
      await expect(read(path)).rejects.toThrow("never read");
      await expect(read("link.txt")).rejects.toThrow("never read");
    },
  );

  it("refuses configuration, which can hold tokens, and reads the lock", async () => {
    const { folder, read } = scene();
    for (const name of ["haft.mcp.json", "haft.config.ts", "haft.config.json", "haft.lock"])
      appendFileSync(join(folder, name), "{}");
    for (const name of ["haft.mcp.json", "haft.config.ts", "haft.config.json"])
      await expect(read(name)).rejects.toThrow("never read");
    await expect(read("haft.lock")).resolves.toMatchObject({ content: "{}" });
  });

  it("refuses a folder with the tokens of callers", async () => {
    const { folder, read, write } = scene();
    mkdirSync(join(folder, "tokens"));
    writeFileSync(join(folder, "tokens", "a.json"), "{}");
    protectSecretFile(join(folder, "tokens"));
    await expect(read("tokens/a.json")).rejects.toThrow("never read");
    await expect(write("tokens/b.json")).rejects.toThrow("file of Haft itself");
  });
});
