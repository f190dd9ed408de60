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
  it("what is named counts, and all the rest keeps its default", () => {
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

  it("nothing at all means the same as an empty object", () => {
    expect(readConfig(undefined)).toEqual(readConfig({}));
  });

  it("the caller's object stays as it was, and two readings share nothing", () => {
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
    ["a list that is none", { builtinTools: "http-get" }, "/builtinTools"],
    [
      "an empty word in a list",
      { security: { blockedCommands: ["sudo", ""] } },
      "/security/blockedCommands/1",
    ],
    ["a built-in tool that is none", { builtinTools: ["file-delete"] }, "/builtinTools/0"],
    ["an engine that is none", { skills: { code: { engines: ["vm"] } } }, "/skills/code/engines/0"],
    ["a limit of nothing", { skills: { code: { limits: { wallMs: 0 } } } }, "/skills/code/limits/wallMs"],
    ["a method that is none", { skills: { http: { methods: ["TRACE"] } } }, "/skills/http/methods/0"],
    ["too many results", { skills: { search: { maxResults: 21 } } }, "/skills/search/maxResults"],
    ["a group that is none", { ledger: 5 }, "/ledger"],
    ["null", { limits: { maxInputDepth: null } }, "/limits/maxInputDepth"],
    ["infinity", { registry: { maxTools: Number.POSITIVE_INFINITY } }, "/registry/maxTools"],
  ])("%s is refused with its place", (_, input, pointer) => {
    const error = refusal(input);
    expect(error.code).toBe("invalid_config");
    expect(pointers(error)).toEqual([pointer]);
    expect(error.message).toContain(`Bad config: ${pointer} `);
  });

  it.each([
    [{ http: { hosts: ["https://example.com"] } }, '/skills/http/hosts has "https://example.com"'],
    [{ http: { hosts: ["example.*"] } }, "write a host alone"],
    [{ http: { hosts: ["user@example.com"] } }, "write a host alone"],
    [{ search: { provider: "searxng" } }, "/skills/search/url is required"],
    [{ search: { url: "search.example" } }, "must be an absolute URL"],
    [{ commands: { "git log": {} } }, "write the program alone"],
    [{ commands: { git: { args: ["log"] } } }, "/skills/commands/git/args"],
  ] as const)("grants that could mean nothing are refused in a sentence: %j", (skills, said) => {
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
  ])("%j is a host that can be granted, or is refused for its letters", (host) => {
    const read = () => readConfig({ skills: { http: { hosts: [host] } } });
    if (/^[\x20-\x7e]+$/.test(host)) expect(read().skills.http.hosts).toEqual([host]);
    else expect(read).toThrow("write a host alone");
  });

  it("files are read in the folder that is allowed, unless folders are named", () => {
    expect(readConfig({ security: { allowedFilePathPrefix: "/srv" } }).skills.files.read).toEqual(["/srv"]);
    expect(readConfig({ skills: { files: { read: ["a", "b"] } } }).skills.files.read).toEqual(["a", "b"]);
  });

  it("every bad value is named at once", () => {
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

  it("an unknown key is named, in a group and beside the groups", () => {
    const error = refusal({ execution: { timeout: 5 }, exectuion: {} });
    expect(error.message).toContain("timeout");
    expect(error.message).toContain("exectuion");
  });

  it("a default time above the longest is refused, whichever of the two was set", () => {
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

  it("are read when the runtime is opened with its path", async () => {
    const path = file("good.json", JSON.stringify({ registry: { maxTools: 1 } }));
    const haft = await Haft.open({ config: path });
    const made = tool({ name: "one", description: "One", input: { type: "object" }, run: () => 1 });
    haft.register(made);
    expect(() => haft.register(made.withName("two"))).toThrow("at most 1 tools");
  });

  it.each([
    ["a bad value", '{"ledger":{"keep":-5}}', "/ledger/keep"],
    ["text that is not JSON", "{ledger", "cannot be read"],
    ["an array", "[]", "object"],
  ])("%s is refused with the path of the file", async (_, text, why) => {
    const path = file("bad.json", text);
    const error = await Haft.open({ config: path }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: "invalid_config" });
    expect((error as Error).message).toContain(path);
    expect((error as Error).message).toContain(why);
  });

  it("a file that is not there is refused with its path", async () => {
    const path = join(folder, "none.json");
    await expect(Haft.open({ config: path })).rejects.toThrow(path);
  });
});

describe("settings in the environment", () => {
  it("each variable names its group and its key", () => {
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

  it("what is not set, or is empty, is left to its default", () => {
    expect(configFromEnvironment({})).toEqual({});
    expect(configFromEnvironment({ HAFT_LEDGER_KEEP: "", HAFT_LEDGER: undefined })).toEqual({});
  });

  it("what cannot be read is named with its place when the runtime is opened", async () => {
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

it("refuses approvals under config, and shows where they go", () => {
  expect(() => readConfig({ approvals: { expireAfterMs: 5 } } as never)).toThrow(
    'Bad config: /approvals is no longer part of config. Move it next to config: approvals: {"expireAfterMs":5}.',
  );
});
