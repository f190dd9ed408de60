import { describe, expect, it } from "vitest";
import { listLaunches, serverLaunch } from "./launch.ts";

const base = { command: "node", args: ["server.js"], env: { MODE: "a" }, inheritEnv: ["HOME"] };

describe("hash of a launch", () => {
  it("does not depend on the id and the timeouts of a server", () => {
    expect(serverLaunch("one", base, undefined).hash).toBe(
      serverLaunch("two", { ...base, callTimeoutMs: 5 }, undefined).hash,
    );
  });

  it.each([
    ["command", { ...base, command: "deno" }],
    ["arguments", { ...base, args: ["server.js", "--evil"] }],
    ["split arguments", { ...base, args: ["server.js --evil"] }],
    ["name of a variable", { ...base, env: { NODE_OPTIONS: "a" } }],
    ["value of a variable", { ...base, env: { MODE: "--import ./evil.js" } }],
    ["variable that comes from a secret", { ...base, env: { MODE: { secret: "TOKEN" } } }],
    ["inherited variable", { ...base, inheritEnv: ["HOME", "AWS_SECRET_ACCESS_KEY"] }],
    ["folder", { ...base, cwd: "/" }],
    ["sandbox", { ...base, sandbox: "bubblewrap" as const }],
  ])("changes with the %s", (_, other) => {
    expect(serverLaunch("one", other, undefined).hash).not.toBe(serverLaunch("one", base, undefined).hash);
  });

  it("covers the URL and the secrets that are sent to it", () => {
    const plain = serverLaunch("one", { url: "https://example.com/mcp" }, undefined);
    const sends = { url: "https://example.com/mcp", headers: { Authorization: { secret: "GITHUB_TOKEN" } } };
    expect(serverLaunch("one", sends, undefined).hash).not.toBe(plain.hash);
    expect(serverLaunch("one", sends, undefined).text).toContain("Authorization (secret GITHUB_TOKEN)");
  });
});

describe("origin of a named secret", () => {
  const reads = { command: "node", env: { KEY: { secret: "demo" } } };
  const sends = { url: "https://example.com/mcp", headers: { Authorization: { secret: "demo" } } };
  const signsIn = {
    url: "https://example.com/mcp",
    oauth: { clientId: "haft", clientSecret: { secret: "demo" } },
  };
  const code = () => "text";
  const origins: readonly Parameters<typeof serverLaunch>[2][] = [
    undefined,
    { env: { DEMO: "demo" } },
    { env: { OTHER: "demo" } },
    { env: "HAFT_" },
    { file: { demo: "/etc/demo" } },
    { file: { demo: "/home/me/.ssh/id_rsa" } },
    { file: "/etc/secrets" },
    { command: { argv: { demo: ["pass", "demo"] } } },
    { command: { argv: { demo: ["pass", "bank"] } } },
    { command: { argv: { demo: ["pass", "demo"] }, env: ["PASSWORD_STORE_DIR"] } },
    { sources: [{ env: { DEMO: "demo" } }, { file: "/etc/secrets" }] },
    code,
  ];

  it.each([
    ["a variable", reads],
    ["a header", sends],
    ["a client secret", signsIn],
  ])("is part of the hash of a launch with %s", (_, server) => {
    const hashes = origins.map((credentials) => serverLaunch("one", server, credentials).hash);
    expect(new Set(hashes).size).toBe(origins.length);
  });

  it("has the same hash however it is nested, and does not depend on other secrets", () => {
    const hash = serverLaunch("one", sends, { env: { DEMO: "demo", A: "a" } }).hash;
    expect(serverLaunch("one", sends, [{ sources: [{ env: { DEMO: "demo" } }] }]).hash).toBe(hash);
    expect(serverLaunch("one", sends, { values: { demo: "x" } }).hash).toBe(
      serverLaunch("one", sends, code).hash,
    );
  });

  it("does not change launches without named secrets", () => {
    for (const server of [base, { url: "https://example.com/mcp", headers: { A: "b" } }])
      expect(serverLaunch("one", server, { env: "A_" }).hash).toBe(
        serverLaunch("one", server, undefined).hash,
      );
  });

  it("is part of the text of a launch", () => {
    const shown = (server: typeof sends | typeof signsIn, credentials: (typeof origins)[number]) =>
      serverLaunch("one", server, credentials).text;
    expect(shown(sends, { env: { DEMO: "demo" } })).toContain("Authorization (secret demo, from $DEMO)");
    expect(shown(sends, { file: { demo: "/home/me/.ssh/id_rsa" } })).toContain("from /home/me/.ssh/id_rsa)");
    expect(shown(signsIn, { command: { argv: { demo: ["pass", "demo"] } } })).toContain(
      "(secret demo, from the command pass demo)",
    );
  });

  it("may be invalid, which is reported when it is opened", () => {
    for (const wrong of [
      { env: 5 },
      { file: null },
      { command: {} },
      { values: null },
      "text",
      { sources: 1 },
    ])
      expect(serverLaunch("one", sends, wrong as never).text).toContain("(secret demo)");
  });
});

describe("text of a launch", () => {
  it("is the whole command line, neither masked nor truncated", () => {
    const long = "x".repeat(500);
    const { text } = serverLaunch(
      "one",
      {
        command: "sh",
        args: ["-c", `password=$(curl evil)\u202e\n\u200b; ${long}`],
        env: { NODE_OPTIONS: "--import ./evil.js" },
      },
      undefined,
    );
    expect(text).toContain("password=$(curl evil)");
    expect(text).toContain(long);
    expect(text).toContain("<U+202E>");
    expect(text).toContain("<U+200B>");
    expect(text).toContain('NODE_OPTIONS="--import ./evil.js"');
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it("has a summary for logs without the secrets in arguments", () => {
    const { summary } = serverLaunch(
      "one",
      { command: "npx", args: ["server", "--token", "s3cr3t-value"] },
      undefined,
    );
    expect(summary).not.toContain("s3cr3t-value");
  });
});

describe("listLaunches", () => {
  it("lists servers and secret commands, also nested ones, but no disabled server", () => {
    const launches = listLaunches({
      mcp: { servers: { on: base, off: { ...base, disabled: true } } },
      credentials: {
        command: { argv: { A: ["pass", "a"] } },
        sources: [{ command: { argv: { B: ["pass", "b"] } } }, [{ command: { argv: { C: ["pass", "c"] } } }]],
      },
    });
    expect(launches.map(({ what }) => what)).toEqual([
      'the MCP server "on"',
      'the command for the secret "A"',
      'the command for the secret "B"',
      'the command for the secret "C"',
    ]);
  });
});
