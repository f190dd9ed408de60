import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../words/errors.ts";
import { keyFile, readKeys } from "./key.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-key-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the key beside a ledger", () => {
  it("is made for its owner alone with its first use, and is the same from then on", () => {
    const path = join(folder, "ledger.db.key");
    const key = keyFile(path);
    expect(key.map(({ length }) => length)).toEqual([32]);
    expect(keyFile(path)).toEqual(key);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["ledger.db.key"]);
  });

  it("says where it cannot be made, and why", () => {
    const path = join(folder, "nowhere", "ledger.db.key");
    expect(() => keyFile(path)).toThrow(`The ledger's key file ${path} cannot be made: ENOENT`);
  });

  it.skipIf(process.platform === "win32").each([
    ["0644", 0o644],
    ["0640", 0o640],
    ["0604", 0o604],
    ["0660", 0o660],
    ["0601", 0o601],
    ["0666", 0o666],
  ])("is refused with mode %s, and the refusal says what to run", (shown, mode) => {
    const path = join(folder, "ledger.db.key");
    const text = randomBytes(32).toString("base64");
    writeFileSync(path, text);
    chmodSync(path, mode);
    let refusal: unknown;
    try {
      keyFile(path);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ConfigurationError);
    const { message } = refusal as ConfigurationError;
    expect(message).toContain(`mode ${shown}`);
    expect(message).toContain(`chmod 600 ${path}`);
    expect(message).not.toContain(text);
    chmodSync(path, 0o600);
    expect(keyFile(path)).toEqual(readKeys(text, path));
  });

  it.skipIf(process.platform === "win32")("is taken where its owner may only read it", () => {
    const path = join(folder, "ledger.db.key");
    const key = keyFile(path);
    chmodSync(path, 0o400);
    expect(keyFile(path)).toEqual(key);
  });

  it.skipIf(process.platform === "win32")("is named so that a shell takes it for one word", () => {
    const path = join(folder, "a ledger's.key");
    writeFileSync(path, "x", { mode: 0o644 });
    expect(() => keyFile(path)).toThrow(`chmod 600 '${join(folder, "a ledger'\\''s.key")}'`);
  });

  it("that is no key is refused by its place", () => {
    const path = join(folder, "ledger.db.key");
    writeFileSync(path, "short", { mode: 0o600 });
    expect(() => keyFile(path)).toThrow(`(${path}) is not 32 bytes`);
  });

  it("may have several lines, newest first, and an empty line is none", () => {
    const path = join(folder, "ledger.db.key");
    const [older, newer] = [randomBytes(32), randomBytes(32)];
    writeFileSync(path, `${newer.toString("base64")}\n\n${older.toString("hex")}\n`, { mode: 0o600 });
    expect(keyFile(path).map((key) => Buffer.from(key))).toEqual([newer, older]);
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
