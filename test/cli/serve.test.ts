import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { haft } from "./haft.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configured = (name: string, config: object): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(config));
  return file;
};

describe("haft serve refuses invalid configuration before it starts:", () => {
  it.each([
    ["a misspelled field", { htpp: { port: 1 } }, 'did you mean "http"'],
    ["an unknown choice", { approvals: "nobody" }, "/approvals must be one of"],
    ["a misspelled field of auth", { auth: { tokenz: [] } }, 'did you mean "tokens"'],
    [
      "a token without a principal",
      { auth: { tokens: [{ token: "sha256:00" }] } },
      "/tokens/0/principal is required",
    ],
    ["tokens of an issuer without an audience", { auth: { jwt: { issuer: "https://a" } } }, "/jwt/audience"],
    ["an invalid path", { http: { path: "mcp" } }, "/http/path"],
    ["a misspelled field of search", { search: { alwys: ["a"] } }, 'did you mean "always"'],
    ["a search without candidates", { search: { maxCandidates: 0 } }, "/search"],
    ["a score above 1", { search: { minScore: 2 } }, "/search"],
    ["a burst of 0", { http: { burst: 0 } }, "/http/burst"],
    [
      "a refresh interval of 0",
      {
        auth: {
          jwt: {
            issuer: "https://a",
            audience: "https://b",
            jwks: "https://c",
            scopes: {},
            jwksRefreshSec: 0,
          },
        },
      },
      "/jwt/jwksRefreshSec",
    ],
  ])("%s", async (_, serve, said) => {
    const { code, error } = await haft(["serve", "-c", configured("bad.json", { serve })]);
    expect(code).toBe(2);
    expect(error).toContain(said);
  });

  it("an invalid pattern of listed tools", async () => {
    const serve = { search: { always: ["a b"] } };
    const { code, error } = await haft(["serve", "-c", configured("pattern.json", { serve })]);
    expect(code).not.toBe(0);
    expect(error).toContain('The pattern "a b" is refused');
  });

  it("a tool with a name of serve.search", async () => {
    const tools = join(folder, "taken.ts");
    const index = new URL("../../src/exports/index.ts", import.meta.url).href;
    writeFileSync(
      tools,
      `import { tool } from ${JSON.stringify(index)};
       export const taken = tool({ name: "search_tools", description: "Ours", input: [], run: () => 1 });`,
    );
    const { code, error } = await haft(["serve", "--search", "-t", tools]);
    expect(code).not.toBe(0);
    expect(error).toContain('adds a tool "search_tools"');
    expect(error).toContain("Rename the runtime's tool");
  });

  it("operands, a missing folder, and HTTP options without --http", async () => {
    expect((await haft(["serve", "tools.ts"])).error).toContain("accepts no operands");
    expect((await haft(["serve", "--folder", join(folder, "none")])).error).toContain("does not exist");
    expect((await haft(["serve", "--port", "1"])).error).toContain("--port requires --http");
  });
});

it.each([
  ["the configuration", "repeated.json", '{"policy":{"rules":[]},"policy":{}}', "/policy"],
  ["settings that the configuration names", "settings.json", '{"ledger":{},"ledger":{"keep":5}}', "/ledger"],
])("a member that is given twice in %s is refused", async (_, name, text, pointer) => {
  writeFileSync(join(folder, name), text);
  const file =
    name === "settings.json" ? configured("names.json", { config: join(folder, name) }) : join(folder, name);
  const { code, error } = await haft(["tools", "-c", file]);
  expect(code).toBe(2);
  expect(error).toContain("is duplicated");
  expect(error).toContain(`at ${pointer}`);
});

describe("project files next to the configuration:", () => {
  it("haft lock --check reads the lock that the configuration names", async () => {
    const config = configured("named.json", { mcp: { lock: "reviewed.lock" } });
    writeFileSync(join(folder, "reviewed.lock"), "{ broken");
    const { code, error, out } = await haft(["lock", "--check", "-c", config]);
    expect(code).toBe(1);
    expect(`${error}${out}`).toContain("reviewed.lock");
  });

  it("no lock is written when the configuration disables it", async () => {
    const config = configured("unlocked.json", { mcp: { lock: false } });
    const { code, error } = await haft(["lock", "--yes", "-c", config]);
    expect(code).toBe(2);
    expect(error).toContain("mcp.lock: false");
  });

  it("added servers are found from every working directory", async () => {
    const project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "haft.config.json"), "{}");
    const servers = { notes: { command: "notes-server" } };
    writeFileSync(join(project, "haft.mcp.json"), JSON.stringify({ servers }));
    const { out } = await haft(["mcp", "list", "--offline", "-c", join(project, "haft.config.json")]);
    expect(out).toContain("notes-server");
  });
});
