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

describe("haft serve refuses what means nothing, before anything is served:", () => {
  it.each([
    ["a misspelled field", { htpp: { port: 1 } }, 'did you mean "http"'],
    ["a word that is none of the choices", { approvals: "nobody" }, "/approvals must be one of"],
    ["auth that would let everybody in", { auth: { tokenz: [] } }, 'did you mean "tokens"'],
    ["a token for nobody", { auth: { tokens: [{ token: "sha256:00" }] } }, "/tokens/0/principal is required"],
    ["tokens of an issuer without an audience", { auth: { jwt: { issuer: "https://a" } } }, "/jwt/audience"],
    ["a path that is none", { http: { path: "mcp" } }, "/http/path"],
    ["a search that is misspelled", { search: { alwys: ["a"] } }, 'did you mean "always"'],
    ["a search that finds nothing", { search: { maxCandidates: 0 } }, "/search"],
    ["a score that no tool has", { search: { minScore: 2 } }, "/search"],
    ["a burst of nothing", { http: { burst: 0 } }, "/http/burst"],
    [
      "keys that are never read again",
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

  it("a pattern of tools to list that is none", async () => {
    const serve = { search: { always: ["a b"] } };
    const { code, error } = await haft(["serve", "-c", configured("pattern.json", { serve })]);
    expect(code).not.toBe(0);
    expect(error).toContain('The pattern "a b" is refused');
  });

  it("a tool that has a name of serve.search", async () => {
    const tools = join(folder, "taken.ts");
    const index = new URL("../../src/exports/index.ts", import.meta.url).href;
    writeFileSync(
      tools,
      `import { tool } from ${JSON.stringify(index)};
       export const taken = tool({ name: "search_tools", description: "Ours", input: [], run: () => 1 });`,
    );
    const { code, error } = await haft(["serve", "--search", "-t", tools]);
    expect(code).not.toBe(0);
    expect(error).toContain('named "search_tools"');
    expect(error).toContain("Rename yours");
  });

  it("operands, a folder that is not there, and options of HTTP without --http", async () => {
    expect((await haft(["serve", "tools.ts"])).error).toContain("takes no operands");
    expect((await haft(["serve", "--folder", join(folder, "none")])).error).toContain("There is no folder");
    expect((await haft(["serve", "--port", "1"])).error).toContain("--port needs --http");
  });
});

describe("what belongs to a project stands beside its configuration:", () => {
  it("the lock that haft lock checks is the one that the configuration names", async () => {
    const config = configured("named.json", { mcp: { lock: "reviewed.lock" } });
    writeFileSync(join(folder, "reviewed.lock"), "{ broken");
    const { code, error, out } = await haft(["lock", "--check", "-c", config]);
    expect(code).toBe(1);
    expect(`${error}${out}`).toContain("reviewed.lock");
  });

  it("where the configuration wants no lock, none is written", async () => {
    const config = configured("unlocked.json", { mcp: { lock: false } });
    const { code, error } = await haft(["lock", "--yes", "-c", config]);
    expect(code).toBe(2);
    expect(error).toContain("mcp.lock: false");
  });

  it("servers that were added there are there from everywhere", async () => {
    const project = join(folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "haft.config.json"), "{}");
    const servers = { notes: { command: "notes-server" } };
    writeFileSync(join(project, "haft.mcp.json"), JSON.stringify({ servers }));
    const { out } = await haft(["mcp", "list", "--offline", "-c", join(project, "haft.config.json")]);
    expect(out).toContain("notes-server");
  });
});
