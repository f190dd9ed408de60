import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../types/errors.ts";
import { readKeys, readOrCreateKeyFile } from "./key-file.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-key-"));
});

afterEach(() => {
  vi.doUnmock("node:fs");
  rmSync(folder, { recursive: true, force: true });
});

describe("key file", () => {
  it("is created on first use with mode 0600 and read afterward", () => {
    const path = join(folder, "ledger.db.key");
    const key = readOrCreateKeyFile(path);
    expect(key.map(({ length }) => length)).toEqual([32]);
    expect(readOrCreateKeyFile(path)).toEqual(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["ledger.db.key"]);
  });

  it.each(["EPERM", "EOPNOTSUPP"])(
    "is created by one process only when the file system has no hard links (%s)",
    async (code) => {
      vi.doMock("node:fs", () => ({
        ...fs,
        linkSync: () => {
          throw Object.assign(new Error("no links"), { code });
        },
      }));
      const { readOrCreateKeyFile: make }: typeof import("./key-file.ts") = await import(
        /* @vite-ignore */ `./key-file.ts?links=${code}`
      );
      const path = join(folder, "ledger.db.key");
      const key = make(path);
      expect(make(path)).toEqual(key);
      expect(readOrCreateKeyFile(path)).toEqual(key);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual(["ledger.db.key"]);
    },
  );

  it("is read when another process created it first without hard links", async () => {
    const path = join(folder, "ledger.db.key");
    vi.doMock("node:fs", () => ({
      ...fs,
      linkSync: () => {
        writeFileSync(path, "07".repeat(32), { mode: 0o600 });
        throw Object.assign(new Error("no links"), { code: "EPERM" });
      },
    }));
    const { readOrCreateKeyFile: make }: typeof import("./key-file.ts") = await import(
      /* @vite-ignore */ `./key-file.ts?links=${"lost"}`
    );
    expect(make(path)).toEqual([Buffer.alloc(32, 7)]);
  });

  it("is waited for while it is empty, and then reported with a remedy", () => {
    const path = join(folder, "ledger.db.key");
    writeFileSync(path, "", { mode: 0o600 });
    expect(() => readOrCreateKeyFile(path)).toThrow(
      "is empty: a process may have died while it created the file. No data is encrypted with it; delete it.",
    );
  });

  it("reports where and why it cannot be created", () => {
    const path = join(folder, "nowhere", "ledger.db.key");
    expect(() => readOrCreateKeyFile(path)).toThrow(
      `The ledger's key file ${path} cannot be created: ENOENT`,
    );
  });

  it.skipIf(process.platform === "win32").each([
    ["0644", 0o644],
    ["0640", 0o640],
    ["0604", 0o604],
    ["0660", 0o660],
    ["0601", 0o601],
    ["0666", 0o666],
  ])("is refused with mode %s and the command to run", (shown, mode) => {
    const path = join(folder, "ledger.db.key");
    const text = randomBytes(32).toString("base64");
    writeFileSync(path, text);
    chmodSync(path, mode);
    let refusal: unknown;
    try {
      readOrCreateKeyFile(path);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ConfigurationError);
    const { message } = refusal as ConfigurationError;
    expect(message).toContain(`mode ${shown}`);
    expect(message).toContain(`chmod 600 ${path}`);
    expect(message).not.toContain(text);
    chmodSync(path, 0o600);
    expect(readOrCreateKeyFile(path)).toEqual(readKeys(text, path));
  });

  it.skipIf(process.platform === "win32")("is accepted when its owner can only read it", () => {
    const path = join(folder, "ledger.db.key");
    const key = readOrCreateKeyFile(path);
    chmodSync(path, 0o400);
    expect(readOrCreateKeyFile(path)).toEqual(key);
  });

  it.skipIf(process.platform === "win32")("is quoted for a shell in the message", () => {
    const path = join(folder, "a ledger's.key");
    writeFileSync(path, "x", { mode: 0o644 });
    expect(() => readOrCreateKeyFile(path)).toThrow(`chmod 600 '${join(folder, "a ledger'\\''s.key")}'`);
  });

  it("is refused with its path when it is not a key", () => {
    const path = join(folder, "ledger.db.key");
    writeFileSync(path, "short", { mode: 0o600 });
    expect(() => readOrCreateKeyFile(path)).toThrow(`(${path}) is not 32 bytes`);
  });

  it("can have several lines, newest first, and empty lines", () => {
    const path = join(folder, "ledger.db.key");
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    writeFileSync(path, `${newer.toString("base64")}\n\n${older.toString("hex")}\n`, { mode: 0o600 });
    expect(readOrCreateKeyFile(path).map((key) => Buffer.from(key))).toEqual([newer, older]);
    expect(readKeys(`${newer.toString("hex")}, ${older.toString("base64")}`, "a variable")).toEqual([
      newer,
      older,
    ]);
    expect(() => readKeys(`${newer.toString("hex")},short`, "a variable")).toThrow(
      "(a variable) is not 32 bytes",
    );
    expect(() => readKeys(",", "a variable")).toThrow("(a variable) is not 32 bytes");
  });
});
