import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import { ConfigurationError } from "../types/errors.ts";
import { type ConfigInput, configFromEnvironment, readConfig } from "./config.ts";
import { Haft } from "./haft.ts";

const refusal = (input: unknown, from?: string): ConfigurationError => {
  try {
    readConfig(input as ConfigInput, from);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error as ConfigurationError;
  }
  throw new Error("it was accepted");
};

const pointers = (error: ConfigurationError) => error.failure.issues?.map((issue) => issue.pointer).sort();

describe("settings as an object", () => {
  it("applies named settings and keeps defaults for all others", () => {
    const config = readConfig({
      execution: { defaultTimeoutMs: 5_000 },
      security: { blockedCommands: [] },
      builtinTools: ["http-get"],
    });
    expect(config.execution).toEqual({
      defaultTimeoutMs: 5_000,
      maxTimeoutMs: 300_000,
      sandboxEnabled: true,
    });
    expect(config.security.blockedCommands).toEqual([]);
    expect(config.builtinTools).toEqual(["http-get"]);
    expect(config.registry).toEqual({ maxTools: 1_000, allowDuplicateNames: false });
  });

  it("treats undefined like an empty object", () => {
    expect(readConfig(undefined)).toEqual(readConfig({}));
  });

  it("leaves the given object unchanged and shares nothing between two results", () => {
    const input = { execution: {} };
    const [one, other] = [readConfig(input), readConfig(input)];
    expect(input).toEqual({ execution: {} });
    expect(one.security.blockedCommands).not.toBe(other.security.blockedCommands);
  });

  it.each<[string, unknown, string]>([
    ["a negative time", { execution: { defaultTimeoutMs: -1 } }, "/execution/defaultTimeoutMs"],
    ["a time of zero", { execution: { maxTimeoutMs: 0 } }, "/execution/maxTimeoutMs"],
    ["half a millisecond", { execution: { maxTimeoutMs: 0.5 } }, "/execution/maxTimeoutMs"],
    ["a number as text", { mcp: { maxRetries: "3" } }, "/mcp/maxRetries"],
    [
      "a flag as text",
      { security: { requireAuthorizationForAll: "no" } },
      "/security/requireAuthorizationForAll",
    ],
    ["an empty path", { security: { allowedFilePathPrefix: "" } }, "/security/allowedFilePathPrefix"],
    ["a string instead of a list", { builtinTools: "http-get" }, "/builtinTools"],
    [
      "an empty string in a list",
      { security: { blockedCommands: ["sudo", ""] } },
      "/security/blockedCommands/1",
    ],
    ["an unknown built-in tool", { builtinTools: ["file-delete"] }, "/builtinTools/0"],
    ["an unknown engine", { skills: { code: { engines: ["vm"] } } }, "/skills/code/engines/0"],
    ["a limit of zero", { skills: { code: { limits: { wallMs: 0 } } } }, "/skills/code/limits/wallMs"],
    ["an unknown method", { skills: { http: { methods: ["TRACE"] } } }, "/skills/http/methods/0"],
    ["too many results", { skills: { search: { maxResults: 21 } } }, "/skills/search/maxResults"],
    ["a number instead of a group", { ledger: 5 }, "/ledger"],
    ["null", { limits: { maxInputDepth: null } }, "/limits/maxInputDepth"],
    ["infinity", { registry: { maxTools: Number.POSITIVE_INFINITY } }, "/registry/maxTools"],
  ])("refuses %s with its place", (_, input, pointer) => {
    const error = refusal(input);
    expect(error.code).toBe("invalid_config");
    expect(pointers(error)).toEqual([pointer]);
    expect(error.message).toContain(`Bad config: ${pointer} `);
  });

  it.each([
    [{ http: { hosts: ["https://example.com"] } }, '/skills/http/hosts has "https://example.com"'],
    [{ http: { hosts: ["example.*"] } }, "write only a host"],
    [{ http: { hosts: ["user@example.com"] } }, "write only a host"],
    [{ search: { provider: "searxng" } }, "/skills/search/url is required"],
    [{ search: { url: "search.example" } }, "must be an absolute URL"],
    [{ commands: { "git log": {} } }, "write only the program"],
    [{ commands: { git: { args: ["log"] } } }, "/skills/commands/git/args"],
  ] as const)("refuses invalid skill settings with a remedy: %j", (skills, said) => {
    const error = refusal({ skills });
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain(said);
  });

  it.each([
    "example.com",
    "*.example.com",
    "a.example:8443",
    "*",
    "*:8080",
    "127.0.0.1:9",
    "münchen.example",
  ])("accepts the host %j, or refuses it when it is not ASCII", (host) => {
    const read = () => readConfig({ skills: { http: { hosts: [host] } } });
    if (/^[\x20-\x7e]+$/.test(host)) expect(read().skills.http.hosts).toEqual([host]);
    else expect(read).toThrow("write only a host");
  });

  it("reads files in allowedFilePathPrefix unless folders are named", () => {
    expect(readConfig({ security: { allowedFilePathPrefix: "/srv" } }).skills.files.read).toEqual(["/srv"]);
    expect(readConfig({ skills: { files: { read: ["a", "b"] } } }).skills.files.read).toEqual(["a", "b"]);
  });

  it("names every invalid value at once", () => {
    const error = refusal({
      execution: { defaultTimeoutMs: "soon", sandboxEnabled: 1 },
      registry: { maxTools: -1 },
      ledger: { keep: 0 },
    });
    const bad = [
      "/execution/defaultTimeoutMs",
      "/execution/sandboxEnabled",
      "/ledger/keep",
      "/registry/maxTools",
    ];
    expect(pointers(error)).toEqual(bad);
    for (const pointer of bad) expect(error.message).toContain(pointer);
  });

  it("names unknown keys in a group and next to the groups", () => {
    const error = refusal({ execution: { timeout: 5 }, exectuion: {} });
    expect(error.message).toContain("timeout");
    expect(error.message).toContain("exectuion");
  });

  it("refuses a default timeout above the maximum, whichever of the two was set", () => {
    const message =
      "Bad config: /execution/defaultTimeoutMs (400000) is above /execution/maxTimeoutMs (300000). Raise maxTimeoutMs, or lower the default.";
    expect(refusal({ execution: { defaultTimeoutMs: 400_000 } }).message).toBe(message);
    expect(refusal({ execution: { maxTimeoutMs: 1_000 } }).message).toContain("(30000) is above");
    expect(readConfig({ execution: { defaultTimeoutMs: 7, maxTimeoutMs: 7 } }).execution.maxTimeoutMs).toBe(
      7,
    );
  });
});

describe("settings in a file", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-config-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  it("are read when the runtime is opened with the path of the file", async () => {
    const path = file("good.json", JSON.stringify({ registry: { maxTools: 1 } }));
    const haft = await Haft.open({ config: path });
    const made = tool({ name: "one", description: "One", input: { type: "object" }, run: () => 1 });
    haft.register(made);
    expect(() => haft.register(made.withName("two"))).toThrow("its limit of 1 tools");
  });

  it.each([
    ["a bad value", '{"ledger":{"keep":-5}}', "/ledger/keep"],
    ["text that is not JSON", "{ledger", "cannot be read"],
    ["an array", "[]", "object"],
  ])("are refused with the path of the file for %s", async (_, text, why) => {
    const path = file("bad.json", text);
    const error = await Haft.open({ config: path }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "invalid_config" });
    expect((error as Error).message).toContain(path);
    expect((error as Error).message).toContain(why);
  });

  it("are refused with the path of a missing file", async () => {
    const path = join(folder, "none.json");
    await expect(Haft.open({ config: path })).rejects.toThrow(path);
  });
});

describe("settings in the environment", () => {
  it("are read from variables named after the group and the key", () => {
    const input = configFromEnvironment({
      HAFT_EXECUTION_DEFAULT_TIMEOUT_MS: "5000",
      HAFT_EXECUTION_SANDBOX_ENABLED: "false",
      HAFT_MCP_MAX_RETRIES: "0",
      HAFT_SECURITY_ALLOWED_FILE_PATH_PREFIX: "/srv",
      HAFT_SECURITY_BLOCKED_COMMANDS: "sudo, reboot",
      HAFT_BUILTIN_TOOLS: "http-get,file-read",
      HAFT_SKILLS_FILES: '{"write":["out"]}',
      PATH: "/bin",
    });
    expect(input).toEqual({
      execution: { defaultTimeoutMs: 5000, sandboxEnabled: false },
      mcp: { maxRetries: 0 },
      security: { allowedFilePathPrefix: "/srv", blockedCommands: ["sudo", "reboot"] },
      builtinTools: ["http-get", "file-read"],
      skills: { files: { write: ["out"] } },
    });
    expect(readConfig(input).execution.defaultTimeoutMs).toBe(5000);
  });

  it("keep their defaults when a variable is missing or empty", () => {
    expect(configFromEnvironment({})).toEqual({});
    expect(configFromEnvironment({ HAFT_LEDGER_KEEP: "", HAFT_LEDGER: undefined })).toEqual({});
  });

  it("are refused with their place when they cannot be read", async () => {
    const config = configFromEnvironment({
      HAFT_LEDGER_KEEP: "many",
      HAFT_LIMITS_MAX_INPUT_DEPTH: "1e3",
      HAFT_SECURITY_REQUIRE_AUTHORIZATION_FOR_ALL: "yes",
    });
    const error = await Haft.open({ config }).catch((thrown: unknown) => thrown as ConfigurationError);
    expect(pointers(error as ConfigurationError)).toEqual([
      "/ledger/keep",
      "/limits/maxInputDepth",
      "/security/requireAuthorizationForAll",
    ]);
  });
});

it("refuses approvals in config and names their new place", () => {
  expect(() => readConfig({ approvals: { expireAfterMs: 5 } } as never)).toThrow(
    'Bad config: /approvals is no longer part of config. Move it next to config: approvals: {"expireAfterMs":5}.',
  );
});
