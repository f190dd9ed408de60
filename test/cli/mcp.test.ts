import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Terminal } from "../../src/cli/command.ts";
import { mcpList } from "../../src/cli/commands/mcp.ts";
import { commands } from "../../src/cli/commands.ts";
import type { OpenServers } from "../../src/cli/mcp/print-servers.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import type { McpServerState } from "../../src/types/mcp.ts";

let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "haft-mcp-"));
  file = join(home, "haft.mcp.json");
});
afterEach(() => rm(home, { recursive: true }));

const put = async (path: string, content: unknown): Promise<void> => {
  const place = join(home, path);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, typeof content === "string" ? content : JSON.stringify(content));
};

interface Situation {
  readonly answers?: readonly string[];
  readonly width?: number;
  readonly open?: OpenServers;
}

/** Runs a command on a machine whose home is a folder of this test. */
const haft = async (words: readonly string[], { answers, width = 300, open }: Situation = {}) => {
  const ran = { out: "", error: "" };
  const left = [...(answers ?? [])];
  const terminal: Terminal = {
    out: (text) => {
      ran.out += text;
    },
    error: (text) => {
      ran.error += text;
    },
    env: { HOME: home, HAFT_TRUST: "1" },
    isInteractive: answers !== undefined,
    isOperator: answers !== undefined,
    hasColor: false,
    width,
    signal: new AbortController().signal,
    unread: new AbortController().signal,
    input: async () => "",
    ask: async (question) => {
      ran.error += question;
      return left.shift();
    },
    now: () => 0,
    wait: async () => undefined,
  };
  const here = commands.map((each) =>
    each.name === "mcp list" ? { ...each, load: async () => mcpList(open) } : each,
  );
  return { code: await runCommandLine(["mcp", ...words], here, terminal), ...ran };
};

const here = (): readonly string[] => ["--project", home];
const added = (): readonly string[] => ["--file", file];
const written = async () => JSON.parse(await readFile(file, "utf8"));

const cursor = {
  mcpServers: {
    github: {
      command: "npx",
      args: ["-y", "gh-mcp"],
      env: { GITHUB_TOKEN: "ghp_0123456789abcdef", LOG: "debug" },
    },
    linear: { url: "https://mcp.linear.app/mcp", headers: { Authorization: "Bearer lin_secret_0123456789" } },
  },
};

describe("haft mcp discover", () => {
  it("lists the servers of other programs and their problems, and starts nothing", async () => {
    await put(".cursor/mcp.json", cursor);
    await put(".gemini/settings.json", "{ broken");
    await put("work/.mcp.json", { mcpServers: { github: { command: "gh" }, odd: { command: 3 } } });
    const { code, out, error } = await haft(["discover", "--project", join(home, "work")]);
    expect(code).toBe(0);
    expect(out.trim().split("\n")).toEqual([
      expect.stringMatching(/^ID +FROM +TRANSPORT +COMMAND$/),
      expect.stringMatching(/^github +claude-code \(project\) +stdio +gh$/),
      expect.stringMatching(/^github-2 +cursor +stdio +npx -y gh-mcp$/),
      expect.stringMatching(/^linear +cursor +http +https:\/\/mcp\.linear\.app\/mcp$/),
    ]);
    expect(error).toContain('! "odd" in ');
    expect(error).toContain("settings.json:1:3 is not JSON from this position.");
    expect(error).toContain("No server was started.");
  });

  it("prints names but no values with --json", async () => {
    await put(".cursor/mcp.json", cursor);
    await put(".codeium/windsurf/mcp_config.json", { mcpServers: { other: { command: "x" } } });
    const { out } = await haft(["discover", "--json", "--from", "cursor", ...here()]);
    const [github, linear, ...more] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(github).toMatchObject({
      id: "github",
      client: "cursor",
      shown: "npx -y gh-mcp",
      env: ["GITHUB_TOKEN", "LOG"],
    });
    expect(linear).toMatchObject({ transport: "http", headers: ["Authorization"] });
    expect(more).toEqual([]);
    expect(out).not.toMatch(/ghp_|debug|lin_secret/);
  });

  it("fits a narrow terminal, and reports when there are no servers", async () => {
    await put(".cursor/mcp.json", cursor);
    for (const width of [50, 60, 80]) {
      const { out } = await haft(["discover", ...here()], { width });
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
      expect(out).toContain("npx -y gh-mcp");
    }
    await rm(join(home, ".cursor"), { recursive: true });
    expect((await haft(["discover", ...here()])).error).toContain(
      "No program on this machine has MCP servers.",
    );
    expect(await haft(["discover", "github"])).toMatchObject({ code: 2 });
    expect((await haft(["discover", "--from", "emacs"])).error).toContain(
      "--from must be one of claude-code",
    );
  });
});

describe("haft mcp add", () => {
  it("shows the command, asks for confirmation, and copies no secret value", async () => {
    await put(".cursor/mcp.json", cursor);
    const { code, out, error } = await haft(["add", "github", ...here(), ...added()], { answers: ["y"] });
    expect(code).toBe(0);
    expect(error.indexOf("starts    npx -y gh-mcp")).toBeLessThan(error.indexOf("[y/N]"));
    expect(error).toContain(
      "! gh-mcp has no fixed version: the newest one runs at each start. Pin a version, such as gh-mcp@1.2.3.",
    );
    expect(error).toContain("  GITHUB_TOKEN  for env GITHUB_TOKEN\n");
    expect(error).toContain("No value was copied");
    expect(out).toBe(`added github to ${file}\n`);
    expect(await written()).toEqual({
      servers: {
        github: {
          transport: "stdio",
          command: "npx",
          args: ["-y", "gh-mcp"],
          env: { GITHUB_TOKEN: { secret: "GITHUB_TOKEN" }, LOG: { secret: "LOG" } },
        },
      },
    });
    expect(error + out).not.toMatch(/ghp_|debug/);
  });

  it("adds nothing without a yes, and needs --yes without a terminal", async () => {
    await put(".cursor/mcp.json", cursor);
    for (const answer of ["", "n", "yeah"]) {
      const { code, error } = await haft(["add", "github", ...here(), ...added()], { answers: [answer] });
      expect(code).toBe(1);
      expect(error).toContain("Nothing was added.");
    }
    const alone = await haft(["add", "github", ...here(), ...added()]);
    expect(alone.code).toBe(2);
    expect(alone.error).toContain(`Confirmation requires a terminal. Use --yes to add github to ${file}.`);
    expect(alone.error).toContain("npx -y gh-mcp");
    await expect(written()).rejects.toThrow("ENOENT");
  });

  it("adds the command after -- exactly as given", async () => {
    const words = ["--", "npx", "-y", "--yes", "files@1.0.0", "a b"];
    const { code, out } = await haft([
      "add",
      "files",
      "--yes",
      "--json",
      "--env",
      "KEY=MY_KEY",
      "--env",
      "PORT",
      ...added(),
      ...words,
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      id: "files",
      shown: "npx -y --yes files@1.0.0 'a b'",
      secrets: [
        { name: "MY_KEY", for: "env KEY" },
        { name: "PORT", for: "env PORT" },
      ],
    });
    expect((await written()).servers.files).toEqual({
      command: "npx",
      args: ["-y", "--yes", "files@1.0.0", "a b"],
      env: { KEY: { secret: "MY_KEY" }, PORT: { secret: "PORT" } },
    });
  });

  it("warns about a secret in the arguments of a command", async () => {
    const { error } = await haft(["add", "a", "--yes", ...added(), "--", "x", "--api-key", "hunter2"]);
    expect(error).toContain("starts    x --api-key [redacted]");
    expect(error).toContain("would be readable in");
    expect(error).not.toContain("hunter2");
  });

  it.each([
    [{ command: "x", args: ["--api-key", "hunter2hunter2"] }, "arguments", "haft mcp add a --env NAME"],
    [{ command: "x", args: ["-H", "Authorization: Bearer hunter2hunter2"] }, "arguments", "--env NAME"],
    [{ url: "https://h/mcp?api_key=hunter2hunter2" }, "address", "haft mcp add a --url URL --header"],
  ])("refuses a server with a secret that no name can replace: %j", async (server, where, way) => {
    await put(".cursor/mcp.json", { mcpServers: { a: server } });
    const { code, out, error } = await haft(["add", "a", "--yes", ...here(), ...added()]);
    expect(code).toBe(2);
    expect(error).toContain(
      `has what looks like a secret in its ${where}, and values of secrets are not copied`,
    );
    expect(error).toContain(way);
    expect(out + error).not.toContain("hunter2");
    await expect(written()).rejects.toThrow("ENOENT");
  });

  it("adds a URL with headers that name secrets", async () => {
    const url = "https://mcp.linear.app/mcp";
    const header = ["--header", "Authorization=LINEAR_AUTHORIZATION"];
    expect((await haft(["add", "linear", "--url", url, ...header, "--yes", ...added()])).code).toBe(0);
    expect((await written()).servers.linear).toEqual({
      url,
      headers: { Authorization: { secret: "LINEAR_AUTHORIZATION" } },
    });
  });

  it("needs --from or a numbered id when a name is ambiguous", async () => {
    await put(".cursor/mcp.json", cursor);
    await put("work/.mcp.json", { mcpServers: { github: { command: "gh" } } });
    const project = ["--project", join(home, "work"), "--yes", ...added()];
    const unclear = await haft(["add", "github", ...project]);
    expect(unclear.code).toBe(2);
    expect(unclear.error).toContain("Choose one with --from CLIENT");
    expect((await haft(["add", "github", "--from", "cursor", ...project])).code).toBe(0);
    expect((await written()).servers.github.command).toBe("npx");
    await haft(["remove", "github", ...added()]);
    expect((await haft(["add", "github-2", ...project])).code).toBe(0);
    expect((await written()).servers["github-2"].command).toBe("npx");
  });

  it("gives two servers with the same variable name separate secrets", async () => {
    const env = { API_KEY: "x" };
    await put(".cursor/mcp.json", { mcpServers: { a: { command: "a", env }, b: { command: "b", env } } });
    for (const id of ["a", "b"]) await haft(["add", id, "--yes", ...here(), ...added()]);
    const { servers } = await written();
    expect([servers.a.env.API_KEY, servers.b.env.API_KEY]).toEqual([
      { secret: "API_KEY" },
      { secret: "B_API_KEY" },
    ]);
  });

  it("fills in known folders and refuses other placeholders", async () => {
    await put("work/.vscode/mcp.json", {
      servers: { a: { command: `\${workspaceFolder}/run` }, b: { command: "x", args: [`\${input:port}`] } },
    });
    const project = ["--project", join(home, "work"), "--yes", ...added()];
    await haft(["add", "a", ...project]);
    expect((await written()).servers.a.command).toBe(join(home, "work", "run"));
    const { code, error } = await haft(["add", "b", ...project]);
    expect(code).toBe(2);
    expect(error).toContain(
      "placeholders that are not filled in: port. Add the server explicitly: haft mcp add b -- command",
    );
  });

  it.each([
    [["add"], "requires an id"],
    [["add", "a", "--url", "https://h", "--from", "cursor"], "not --from and --url"],
    [["add", "a", "--url", "https://h", "--", "x"], "not --url and a command"],
    [["add", "a", "--header", "A=B"], "--header requires --url."],
    [["add", "a", "--env", "A=B"], "--env requires a command"],
    [["add", "a", "--url", "https://h", "--header", "Authorization"], "--header requires NAME=SECRET"],
    [["add", "a", "--url", "https://h", "--header", "Authorization=Bearer sk-123"], "not the secret itself"],
    [["add", "a", "--yes", "--env", "K=sk/1", "--", "x"], "not the secret itself"],
    [["add", "a", "--yes", "--url", "ftp://h"], "refused"],
    [["add", "a b", "--yes", "--", "x"], "The server id"],
    [["add", "nothing"], 'No program on this machine has a server "nothing"'],
    [["add", "githup"], "Did you mean github?"],
    [["remove"], "requires one id"],
    [["remove", "a"], 'has no server "a"'],
    [["show"], "requires one id"],
    [["list", "a"], "accepts no operands"],
  ])("explains what is wrong with haft mcp %j", async (words, said) => {
    await put(".cursor/mcp.json", cursor);
    const end = words.indexOf("--");
    const [options, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
    const places = words[0] === "add" ? [...here(), ...added()] : added();
    const { code, error } = await haft([...options, ...places, ...rest]);
    expect(error).toContain(said);
    expect(code).toBe(2);
    expect(error).not.toContain("sk-123");
  });

  it("refuses a second server with the same id, and does not overwrite a broken file", async () => {
    await haft(["add", "a", "--yes", ...added(), "--", "x"]);
    const again = await haft(["add", "a", "--yes", ...added(), "--", "y"]);
    expect(again).toMatchObject({ code: 2, error: expect.stringContaining("haft mcp remove a") });
    await writeFile(file, '{"servers": {');
    expect(await haft(["add", "b", "--yes", ...added(), "--", "y"])).toMatchObject({ code: 2 });
    expect(await readFile(file, "utf8")).toBe('{"servers": {');
  });
});

describe("haft mcp list, show and remove", () => {
  const fill = async (): Promise<void> => {
    await put("haft.mcp.json", {
      servers: {
        files: { command: "npx", args: ["files"], env: { KEY: { secret: "K" }, PLAIN: "text" } },
        web: { url: "https://h/mcp", disabled: true },
      },
    });
    await put("haft.config.json", { mcp: { servers: { extra: { command: "extra" } } } });
  };
  const both = (): readonly string[] => [...added(), "--config", join(home, "haft.config.json")];
  const state = (id: string, more: Partial<McpServerState> = {}): McpServerState => ({
    id,
    status: "connected",
    transport: "stdio",
    tools: [`${id}/a`, `${id}/b`],
    quarantined: [],
    reconnects: 0,
    ...more,
  });

  it("lists configured servers with --offline without connecting", async () => {
    await fill();
    const open: OpenServers = async () => {
      throw new Error("connected");
    };
    const { code, out } = await haft(["list", "--offline", ...both()], { open });
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 4)).toEqual([
      expect.stringMatching(/^ID +STATUS +TRANSPORT +FILE +COMMAND$/),
      expect.stringMatching(/^files +not asked +stdio +.*npx files$/),
      expect.stringMatching(/^web +disabled +http +.*https:\/\/h\/mcp$/),
      expect.stringMatching(/^extra +not asked +stdio +.*extra$/),
    ]);
  });

  it("prints the status of each server and the reason of a failure, and exits with 1", async () => {
    await fill();
    const asked: string[] = [];
    const open: OpenServers = async (servers) => {
      asked.push(...Object.keys(servers));
      return [
        state("files", { status: "degraded", quarantined: [{ tool: "files/c", reason: "changed" }] }),
        state("extra", { status: "error", reason: "exit 1\u001b[2K", tools: [] }),
      ];
    };
    const { code, out, error } = await haft(["list", ...both()], { open });
    expect(asked).toEqual(["files", "extra"]);
    expect(code).toBe(1);
    expect(out).toMatch(/files +degraded +stdio +2 /);
    expect(error).toContain("! extra: exit 1 [2K");
    expect(error).toContain("! files/c is quarantined: changed");
    const json = await haft(["list", "--json", ...both()], { open });
    expect(
      json.out
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).status),
    ).toEqual(["degraded", "disabled", "error"]);
    expect(json.out).not.toContain('"text"');
  });

  it("shows one server in full, whether added or only discovered", async () => {
    await fill();
    await put(".cursor/mcp.json", cursor);
    const one = await haft(["show", "files", ...both(), ...here()]);
    expect(one.out).toContain("starts    npx files\n");
    expect(one.out).toContain("env       KEY (secret K), PLAIN\n");
    const found = await haft(["show", "linear", ...both(), ...here()]);
    expect(found.out).toContain("not added: cursor");
    expect(found.out).toContain("calls     https://mcp.linear.app/mcp");
    expect(found.error).toContain("Add it with haft mcp add linear.");
    expect(await haft(["show", "nobody", ...both(), ...here()])).toMatchObject({ code: 1 });
    const json = await haft(["show", "files", "--json", ...both()]);
    expect(JSON.parse(json.out)).toMatchObject({ id: "files", env: { KEY: "K", PLAIN: null }, added: true });
  });

  it("removes one server and leaves the others unchanged", async () => {
    await fill();
    expect((await haft(["remove", "files", "--json", ...added()])).out).toContain('"removed":true');
    expect(await written()).toEqual({ servers: { web: { url: "https://h/mcp", disabled: true } } });
  });

  it("prints examples in the help of every command", async () => {
    const { out } = await haft(["--help"]);
    for (const name of ["discover", "add", "remove", "list", "show"])
      expect(out).toContain(`haft mcp ${name}`);
    expect((await haft(["add", "--help"])).out).toContain("Examples");
  });
});
