import { chmod, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CredentialsError } from "../../../types/errors.ts";
import { type CredentialStore, credentials } from "../credentials.ts";
import { commandStartOf } from "./run-secret-command.ts";

const canary = "canary-5e11-secret";
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-secrets-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const put = async (name: string, content: string | Uint8Array, mode = 0o600): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
};

const handedOut = (store: CredentialStore, name: string): Promise<string> =>
  Effect.runPromise(Effect.map(store.secret(name), Redacted.value));

const errorOf = (store: CredentialStore, name: string): Promise<CredentialsError> =>
  Effect.runPromise(Effect.flip(store.secret(name)));

describe("secret in a file", () => {
  it.each([
    ["as it is", canary],
    ["without a final line break", `${canary}\n`],
    ["without a final Windows line break", `${canary}\r\n`],
  ])("is read %s", async (_, content) => {
    const path = await put("weather", content);
    expect(await handedOut(credentials({ file: { weather: path } }), "weather")).toBe(canary);
  });

  it("removes only the last line break", async () => {
    const path = await put("key", `${canary}\nmore\n\n`);
    expect(await handedOut(credentials({ file: { key: path } }), "key")).toBe(`${canary}\nmore\n`);
  });

  it("is found in a directory by its name, also through a symbolic link", async () => {
    await symlink(await put("..data", canary), join(folder, "weather"));
    expect(await handedOut(credentials({ file: folder }), "weather")).toBe(canary);
  });

  it("is read again on each use, and the old and the new value are known secrets", async () => {
    const path = await put("weather", "canary-one");
    const store = credentials({ file: { weather: path } });
    await handedOut(store, "weather");
    await put("weather", "canary-two");
    expect(await handedOut(store, "weather")).toBe("canary-two");
    expect([...store.known()]).toEqual(["canary-one", "canary-two"]);
  });

  it.each([0o400, 0o600, 0o700])("is accepted with mode %o", async (mode) => {
    const path = await put("weather", canary, mode);
    expect(await handedOut(credentials({ file: { weather: path } }), "weather")).toBe(canary);
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o620, 0o601])("is rejected with mode %o", async (mode) => {
    const path = await put("weather", canary, mode);
    const error = await errorOf(credentials({ file: { weather: path } }), "weather");
    expect(error.message).toContain(
      `the file ${path} can be read by other users (mode 0${mode.toString(8)}); set its mode to 0600`,
    );
    expect(inspect(error, { depth: 9 })).not.toContain(canary);
  });

  it.each([0o444, 0o440, 0o644, 0o640])(
    "is accepted with mode %o when sharedFiles is set, as containers mount them",
    async (mode) => {
      const path = await put("weather", canary, mode);
      expect(await handedOut(credentials({ file: { weather: path }, sharedFiles: true }), "weather")).toBe(
        canary,
      );
    },
  );

  it.each([0o666, 0o660, 0o622])(
    "is rejected with mode %o even when sharedFiles is set, since other users can write the file",
    async (mode) => {
      const path = await put("weather", canary, mode);
      const error = await errorOf(credentials({ file: folder, sharedFiles: true }), "weather");
      expect(error.message).toContain(
        `the file ${path} can be written by other users (mode 0${mode.toString(8)})`,
      );
    },
  );

  it("mentions sharedFiles when the file is readable by others", async () => {
    await put("weather", canary, 0o444);
    const { message } = await errorOf(credentials({ file: folder }), "weather");
    expect(message).toContain("credentials.sharedFiles");
  });

  it.each(["../weather", "..", ".", "a/b", "", "a\0b", "-weather"])(
    "rejects names that lead out of the directory: %j",
    async (name) => {
      await put("weather", canary);
      const error = await errorOf(credentials({ file: join(folder, "inner") }), name);
      expect(error.message).toContain("its name cannot be a file name");
    },
  );

  it("is rejected when the file is too large, not UTF-8, or not a regular file", async () => {
    const file = {
      large: await put("large", "x".repeat(64 * 1024 + 1)),
      bytes: await put("bytes", new Uint8Array([0xff, 0xfe])),
      folder,
    };
    const store = credentials({ file });
    expect((await errorOf(store, "large")).message).toContain("is larger than 64 KiB");
    expect((await errorOf(store, "bytes")).message).toContain("is not UTF-8 text");
    expect((await errorOf(store, "folder")).message).toContain("is not a regular file");
    expect(
      await handedOut(credentials({ file: { most: await put("most", "x".repeat(65_536)) } }), "most"),
    ).toHaveLength(65_536);
  });

  it("reports the path of a missing file", async () => {
    const store = credentials({ file: { weather: join(folder, "none") } });
    expect((await errorOf(store, "weather")).message).toContain(
      `searched: the file ${join(folder, "none")}.`,
    );
    expect((await errorOf(store, "other")).message).toContain("file (not configured for it)");
  });
});

describe("secret from a command", () => {
  it("starts a Windows batch file with cmd.exe and rejects arguments that cmd.exe would interpret", () => {
    const system = { os: "win32", isFile: (path: string) => path === "C:\\az.CMD" } as const;
    const env = { PATH: "C:\\", PATHEXT: ".EXE;.CMD" };
    expect(commandStartOf(["az", "account get", "--query"], env, system)).toMatchObject({
      file: "cmd.exe",
      isVerbatim: true,
    });
    for (const evil of ['a"&calc', "%PATH%", "a\nb"]) {
      expect(() => commandStartOf(["az", evil], env, system)).toThrow("is a batch file");
    }
    expect(commandStartOf(["op", 'a"&b'], env, system)).toEqual({
      file: "op",
      args: ['a"&b'],
      isVerbatim: false,
    });
  });
});

describe("multiple sources", () => {
  it("are read in order, and the first that has the secret wins", async () => {
    vi.stubEnv("KEY_B", "from-env");
    const store = credentials([
      { values: { a: "from-values", blank: " " } },
      { env: "KEY_" },
      (name) => (name === "none" ? undefined : `from-function-${name}`),
    ]);
    expect(await handedOut(store, "a")).toBe("from-values");
    expect(await handedOut(store, "b")).toBe("from-env");
    expect(await handedOut(store, "blank")).toBe("from-function-blank");
    expect((await errorOf(store, "none")).message).toContain(
      "the configured values and in the environment variable KEY_NONE and in the configured secret function",
    );
  });

  it("follow the values that are configured next to them", async () => {
    const store = credentials({ values: { a: "near-a" }, sources: [{ values: { a: "far-a", b: "far-b" } }] });
    expect(await handedOut(store, "a")).toBe("near-a");
    expect(await handedOut(store, "b")).toBe("far-b");
    expect([...store.known()]).toEqual(["near-a", "far-a", "far-b"]);
  });

  it("stop at a source that fails instead of falling back to the next", async () => {
    const open = await put("weather", "canary-open", 0o644);
    const error = await errorOf(
      credentials([{ file: { weather: open } }, { values: { weather: canary } }]),
      "weather",
    );
    expect(error.message).toContain("can be read by other users");
  });
});
