import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../types/errors.ts";
import type { NamedMcpServer, RemoteTool } from "../../types/mcp.ts";
import type { Lock } from "./lock.ts";
import { lockServer } from "./lock-server.ts";
import { readLock } from "./read-lock.ts";
import { writeLock } from "./write-lock.ts";

const files: NamedMcpServer = {
  id: "files",
  command: "npx",
  args: ["-y", "files-server@1.2.3", "--token", "s3cret-value"],
  cwd: "/srv",
  env: { FILES_KEY: "hush" },
  inheritEnv: ["HOME"],
};
const remote: NamedMcpServer = { id: "remote", url: "https://mcp.example.com/mcp?api_key=hush&team=1" };
const read: RemoteTool = {
  name: "read_file",
  title: "Read a file",
  description: "Reads a file.",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer", default: 10 } },
    required: ["path"],
  },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};
const lock: Lock = {
  lockVersion: 1,
  servers: {
    remote: lockServer(remote, undefined, [{ ...read, name: "constructor" }]),
    files: lockServer(files, { name: "Files\u200b", version: "1" }, [read, { ...read, name: "list" }]),
  },
};
const text = writeLock(lock);

const edited = (edit: (value: ReturnType<typeof JSON.parse>) => void): string => {
  const value = JSON.parse(text);
  edit(value);
  return JSON.stringify(value);
};

const refusal = (written: string): string => {
  try {
    readLock(written);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as ConfigurationError).code).toBe("invalid_config");
    expect((error as ConfigurationError).message).toContain("haft lock --rebuild");
    return (error as ConfigurationError).message;
  }
  throw new Error("the lock was believed");
};

describe("lock file", () => {
  it("is read as it was written and written again with the same text", () => {
    expect(readLock(text)).toEqual(lock);
    expect(writeLock(readLock(text))).toBe(text);
    expect(Object.isFrozen(readLock(text).servers.files!.tools.read_file!.inputSchema)).toBe(true);
  });

  it("is sorted, indented by two spaces, ends with a line break, and contains no secrets", () => {
    expect(text.endsWith("}\n")).toBe(true);
    expect(text).toContain('\n  "servers": {\n    "files": {\n      "launch": {\n        "command": "npx",');
    expect(text.indexOf('"list"')).toBeLessThan(text.indexOf('"read_file"'));
    expect(text).not.toMatch(/hush|s3cret/);
    expect(text).toContain('"FILES_KEY",\n          "HOME"');
    expect(text).toContain("api_key=[redacted:");
  });

  it("keeps numbers that a strict reader rejects, such as 64-bit limits", () => {
    const big = {
      ...read,
      inputSchema: { maximum: 2 ** 64, minimum: -(2 ** 63), multipleOf: 1e-7 },
    };
    const written = writeLock({ lockVersion: 1, servers: { files: lockServer(files, undefined, [big]) } });
    expect(written).toContain('"maximum": 1.8446744073709552e+19');
    expect(readLock(written).servers.files!.tools.read_file!.inputSchema).toEqual(big.inputSchema);
  });

  it("escapes invisible characters", () => {
    const hidden = { ...read, description: "Reads\u{e0041} a file." };
    const written = writeLock({ lockVersion: 1, servers: { files: lockServer(files, undefined, [hidden]) } });
    expect(written).toContain("Reads\\udb40\\udc41 a file.");
    expect(readLock(written).servers.files!.tools.read_file!.description).toBe(hidden.description);
  });

  it("does not depend on the order of servers, tools and keys", () => {
    const turned: RemoteTool = {
      inputSchema: {
        required: ["path"],
        properties: { limit: { default: 10, type: "integer" }, path: { type: "string" } },
        type: "object",
      },
      annotations: { readOnlyHint: true },
      outputSchema: { type: "object" },
      description: "Reads a file.",
      title: "Read a file",
      name: "read_file",
    };
    const servers = {
      files: lockServer(files, { name: "Files\u200b", version: "2" }, [{ ...read, name: "list" }, turned]),
      remote: lock.servers.remote!,
    };
    expect(writeLock({ lockVersion: 1, servers })).toBe(text);
  });

  it.each<[string, string, string]>([
    ["is empty", "", "not strict JSON"],
    ["is truncated", text.slice(0, text.length / 2), "not strict JSON"],
    [
      "has a repeated key",
      text.replace('"lockVersion": 1,', '"lockVersion": 1, "lockVersion": 1,'),
      'The key "lockVersion" is duplicated',
    ],
    ["is a list", "[]", "an object is required"],
    [
      "has another version",
      edited((value) => {
        value.lockVersion = 3;
      }),
      "version 3",
    ],
    ["has no version", edited((value) => void delete value.lockVersion), "lockVersion is missing"],
    [
      "has no launch",
      edited((value) => void delete value.servers.files.launch),
      "launch is missing (at /servers/files)",
    ],
    [
      "has no hash",
      edited((value) => void delete value.servers.files.tools.list.hash),
      "hash is missing (at /servers/files/tools/list)",
    ],
    [
      "has no schema",
      edited((value) => void delete value.servers.files.tools.list.inputSchema),
      "inputSchema is missing",
    ],
    [
      "has an edited description",
      edited((value) => {
        value.servers.files.tools.list.description += " ";
      }),
      "does not match its hash, so one of them was edited (at /servers/files/tools/list)",
    ],
    [
      "has an edited default",
      edited((value) => {
        value.servers.files.tools.read_file.inputSchema.properties.limit.default = 11;
      }),
      "(at /servers/files/tools/read_file)",
    ],
    [
      "has a hash of another tool",
      edited(({ servers }) => {
        servers.files.tools.list.hash = servers.files.tools.read_file.hash;
      }),
      "(at /servers/files/tools/list)",
    ],
    [
      "has an edited argument",
      edited((value) => void value.servers.files.launch.args.push("--unsafe")),
      "(at /servers/files/launch)",
    ],
    [
      "has launch and hash of another server",
      edited(({ servers }) => {
        servers.files.launch = servers.remote.launch;
        servers.files.launchHash = servers.remote.launchHash;
      }),
      "/servers/files/tools/",
    ],
    [
      "has an invalid hash",
      edited((value) => {
        value.servers.files.tools.list.hash = "sha1:abc";
      }),
      'must be "sha256:"',
    ],
    [
      "has an unknown field",
      edited((value) => {
        value.servers.files.tools.list.trusted = true;
      }),
      "unknown field trusted",
    ],
    ["has a tool with a forbidden name", text.replace('"list": {', '"__proto__": {'), "not strict JSON"],
    ["has merge conflict markers", `<<<<<<< HEAD\n${text}`, "merge"],
  ])("that %s is rejected with its position and a remedy", (_, written, says) => {
    expect(refusal(written)).toContain(says);
  });

  it("cannot contain a tool twice or values that are not JSON", () => {
    expect(() => lockServer(files, undefined, [read, read])).toThrow("twice");
    expect(() => lockServer(files, undefined, [{ ...read, name: "__proto__" }])).toThrow("key");
    const endless = { ...read, inputSchema: { default: Number.NaN } };
    expect(() => lockServer(files, undefined, [endless])).toThrow("cannot be locked");
  });
});
