import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../types/errors.ts";
import type { NamedMcpServer } from "../../types/mcp.ts";
import { checkStart } from "./launch.ts";
import type { Lock } from "./lock.ts";
import { lockServer } from "./lock-server.ts";

const files: NamedMcpServer = {
  id: "files",
  command: "npx",
  args: ["-y", "files-server@1.2.3", "/data"],
  cwd: "/srv",
  env: { KEY: "one" },
};
const boxed: NamedMcpServer = {
  id: "boxed",
  command: "/usr/bin/notes",
  sandbox: { engine: "bubblewrap", read: ["/b", "/a"] },
};
const remote: NamedMcpServer = { id: "remote", url: "https://example.com/mcp" };
const lock: Lock = {
  lockVersion: 1,
  servers: {
    boxed: lockServer(boxed, undefined, []),
    files: lockServer(files, undefined, []),
    remote: lockServer(remote, undefined, []),
  },
};

describe("checkStart", () => {
  it.each<[string, NamedMcpServer]>([
    ["as it was reviewed", files],
    ["with another value of an environment variable", { ...files, env: { KEY: "two" } }],
    ["with a secret instead of a value", { ...files, env: { KEY: { secret: "k" } } }],
    ["with its variable inherited", { ...files, env: {}, inheritEnv: ["KEY"] }],
    ["with other operator terms", { ...files, risk: "high", callTimeoutMs: 5 }],
    ["in its sandbox", boxed],
    [
      "in an equivalent sandbox",
      { ...boxed, sandbox: { engine: "bubblewrap", read: ["/a", "/b"], write: [], network: false } },
    ],
    ["at the reviewed URL", remote],
    ["at the reviewed URL with other headers", { ...remote, headers: { authorization: "x" } }],
  ])("accepts a server %s", (_, server) => {
    expect(checkStart(lock, server)).toEqual({ ok: true, findings: [] });
  });

  it.each<[string, NamedMcpServer]>([
    ["with an extra argument", { ...files, args: [...files.args!, "--unsafe"] }],
    ["with reordered arguments", { ...files, args: ["files-server@1.2.3", "-y", "/data"] }],
    ["with another version", { ...files, args: ["-y", "files-server@1.2.4", "/data"] }],
    ["with another command", { ...files, command: "/tmp/npx" }],
    ["in another folder", { ...files, cwd: "/tmp" }],
    ["without its folder", (({ cwd: _, ...rest }) => rest)(files)],
    ["with an extra variable", { ...files, env: { KEY: "one", NODE_OPTIONS: "--require=x" } }],
    ["with an extra inherited variable", { ...files, inheritEnv: ["SSH_AUTH_SOCK"] }],
    ["without its variable", { ...files, env: {} }],
    ["under another id", { ...files, id: "file" }],
    ["with the id of a prototype member", { ...files, id: "constructor" }],
    ["without its sandbox", { ...boxed, sandbox: undefined } as never],
    ["in a sandbox with fewer folders", { ...boxed, sandbox: "bubblewrap" }],
    [
      "in a sandbox with network",
      { ...boxed, sandbox: { engine: "bubblewrap", read: ["/a", "/b"], network: true } },
    ],
    ["in a sandbox that was not reviewed", { ...files, sandbox: "bubblewrap" }],
    ["at another URL", { ...remote, url: "https://example.org/mcp" }],
    ["over another transport", { ...remote, transport: "sse" }],
    ["changed to a local process", { id: "remote", command: "sh" }],
  ])("rejects a server %s", (_, server) => {
    const right = checkStart(lock, server);
    expect(right).toMatchObject({ ok: false });
    expect(right).toHaveProperty("reason", expect.stringContaining("haft lock"));
  });

  it("reports the reviewed and the current launch of a rejected server", () => {
    const changed: NamedMcpServer = { ...files, args: ["-y", "files-server@1.2.3", "/"] };
    expect(checkStart(lock, changed)).toEqual({
      ok: false,
      reason:
        "The server files is not started: it was reviewed as npx -y files-server@1.2.3 /data in /srv with KEY, and now is npx -y files-server@1.2.3 / in /srv with KEY. Review it with haft lock.",
      was: { command: "npx", args: ["-y", "files-server@1.2.3", "/data"], cwd: "/srv", envKeys: ["KEY"] },
      now: { command: "npx", args: ["-y", "files-server@1.2.3", "/"], cwd: "/srv", envKeys: ["KEY"] },
    });
  });

  it("reports the difference even when the common part is long", () => {
    const folder = `/srv/${"very-deep/".repeat(40)}`;
    const long = (end: string): NamedMcpServer => ({
      id: "s",
      command: "npx",
      args: ["-y", `${folder}${end}`],
    });
    const locked: Lock = { lockVersion: 1, servers: { s: lockServer(long("reviewed"), undefined, []) } };
    const { reason } = checkStart(locked, long("other")) as { readonly reason: string };
    expect(reason).toMatch(/reviewed as ….*\/reviewed, and now is ….*\/other\. Review it/);
  });

  it("accepts a server without a lock and rejects it with a corrupt one", () => {
    expect(checkStart(undefined, files)).toEqual({ ok: true, findings: [] });
    const corrupt = new ConfigurationError("invalid_config", "The lock is corrupt.");
    expect(checkStart(corrupt, files)).toMatchObject({ ok: false, reason: "The lock is corrupt." });
  });

  it("rejects a server whose secret argument changed, although the lock does not contain it", () => {
    const secret = (value: string): NamedMcpServer => ({ id: "s", command: "s", args: ["--api-key", value] });
    const locked: Lock = { lockVersion: 1, servers: { s: lockServer(secret("hush-1"), undefined, []) } };
    expect(JSON.stringify(locked)).not.toContain("hush");
    expect(checkStart(locked, secret("hush-1")).ok).toBe(true);
    expect(checkStart(locked, secret("hush-2")).ok).toBe(false);
  });
});

describe("commands that download code", () => {
  const findings = (command: string, ...args: string[]) => {
    const right = checkStart(undefined, { id: "x", command, args });
    return right.ok ? right.findings! : [];
  };

  it.each<[string, ...string[]]>([
    ["npx", "-y", "pkg"],
    ["npx", "-y", "@scope/pkg"],
    ["npx", "-y", "pkg@latest"],
    ["npx", "-y", "pkg@^1.2.0"],
    ["npx", "-y", "pkg@1"],
    ["/usr/bin/npx", "--yes", "--package", "pkg", "run"],
    ["npx.cmd", "--package=pkg", "run"],
    ["uvx", "mcp-server-git"],
    ["uvx", "--python", "3.12", "--from", "git+https://example.com/x", "serve"],
    ["pipx", "run", "pkg"],
    ["bunx", "pkg"],
    ["docker", "run", "-i", "mcp/files:latest"],
  ])("reports that %s %s %s is not pinned", (command, ...args) => {
    expect(findings(command, ...args)).toHaveLength(1);
  });

  it.each<[string, ...string[]]>([
    ["npx", "-y", "pkg@1.2.3"],
    ["npx", "-y", "@scope/pkg@1.2.3-beta.1", "pkg"],
    ["npx", "--package=pkg@1.2.3", "run"],
    ["npx", "./local"],
    ["uvx", "mcp-server-git==2026.1.2"],
    ["uvx", "--python", "3.12", "mcp-server-git@2026.1.2"],
    ["docker", "run", `mcp/files@sha256:${"a".repeat(64)}`],
    ["node", "server.js"],
  ])("accepts that %s %s %s is pinned", (command, ...args) => {
    expect(findings(command, ...args)).toEqual([]);
  });

  it("reports variables that load code and arguments that are secrets", () => {
    const right = checkStart(undefined, {
      id: "x",
      command: "node",
      args: ["server.js", "--token=hush"],
      inheritEnv: ["NODE_OPTIONS"],
    });
    expect(right).toMatchObject({
      findings: [expect.stringContaining("NODE_OPTIONS"), expect.stringContaining("secret")],
    });
    expect(JSON.stringify(right)).not.toContain("hush");
  });
});
