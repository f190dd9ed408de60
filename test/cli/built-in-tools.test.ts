import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fixture, haft } from "./haft.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-built-in-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "data"));
writeFileSync(join(folder, "data/a.txt"), "hello");

const configured = (name: string, config: object): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(config));
  return file;
};

const names = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await haft(["tools", "--json", ...words])).out
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).name);

const five = ["code-execute", "file-read", "file-write", "http-get", "web-search"] as const;
const named = configured("named.json", { skills: five });

describe("the built-in tools of the command line", () => {
  it("are absent from every command unless the configuration names them", async () => {
    expect(await names()).toEqual([]);
    expect(
      await names("-c", configured("limits.json", { config: { skills: { files: { read: ["."] } } } })),
    ).toEqual([]);
    const some = configured("some.json", { config: { builtinTools: ["file-list", "file-read"] } });
    expect(await names("-c", some)).toEqual(["file-list", "file-read"]);
    expect(await names("-c", configured("skills.json", { skills: ["http-get"] }))).toEqual(["http-get"]);
    expect((await haft(["call", "file-read", '{"path":"a.txt"}'])).error).toContain("file-read");
    expect((await haft(["explain", "file-read"])).code).toBe(1);
    const { out } = await haft(["tools", "--json"], { env: { HAFT_BUILTIN_TOOLS: "web-search" } });
    expect(out.trim().split("\n")).toHaveLength(1);
  });

  it("refuse a user's tool with the same name", async () => {
    const module = join(folder, "mine.mjs");
    writeFileSync(
      module,
      `import { tool } from ${JSON.stringify(fixture("../../../src/exports/index.ts"))};
       export const one = tool({ name: "file-read", description: "My own reader", input: [], run: () => "mine" });`,
    );
    expect((await haft(["tools", "-t", module, "-c", named])).error).toContain("file-read");
    expect((await haft(["call", "file-read", "{}", "-t", module])).out).toBe("mine\n");
  });

  it("cannot write the configuration or the lock file of the command", async () => {
    mkdirSync(join(folder, "own"));
    const config = configured("own/gateway.json", {
      skills: ["file-write"],
      mcp: { lock: "servers.json" },
      config: { skills: { files: { read: ["."], write: ["."] } } },
    });
    const write = (path: string) =>
      haft(["call", "file-write", JSON.stringify({ path, content: "{}", mode: "overwrite" }), "-c", config]);
    expect(await write("notes.json")).toMatchObject({ code: 0, error: "" });
    for (const path of ["gateway.json", "servers.json"])
      expect((await write(path)).error).toContain("is a file of Haft itself");
  });

  it("resolve folders relative to the configuration, regardless of the working directory", async () => {
    const files = { read: ["data"], write: ["data"] };
    const config = configured("grants.json", { skills: five, config: { skills: { files } } });
    const { out } = await haft(["call", "file-read", '{"path":"a.txt"}', "-c", config]);
    expect(JSON.parse(out)).toMatchObject({ content: "hello", path: "a.txt" });
    const written = await haft(["call", "file-write", '{"path":"b.txt","content":"x"}', "-c", config]);
    expect(written.code).toBe(0);
    expect(readFileSync(join(folder, "data/b.txt"), "utf8")).toBe("x");
    const prefix = configured("prefix.json", {
      skills: five,
      config: { security: { allowedFilePathPrefix: "./data" } },
    });
    expect((await haft(["call", "file-read", '{"path":"a.txt"}', "-c", prefix])).code).toBe(0);
  });

  it.each([
    ["file-read", { path: "none.txt" }, "does not exist"],
    ["file-read", { path: "/etc/passwd" }, "config.skills.files.read"],
    ["file-write", { path: "a", content: "" }, "skills: { files: { write:"],
    ["http-get", { url: "https://example.com/" }, 'hosts: ["example.com"]'],
    ["web-search", { query: "x" }, "TAVILY_API_KEY"],
    ["code-execute", { language: "javascript", source: "1" }, "A person must approve"],
  ])("print the remedy: %s %j", async (name, input, said) => {
    const { code, error } = await haft(["call", name, JSON.stringify(input), "-c", named]);
    expect(code).toBe(1);
    expect(error).toContain(said);
  });

  it("are explained like other tools", async () => {
    const { out } = await haft(["explain", "file-read", "--json", "--as", "desk", "-c", named]);
    expect(JSON.parse(out)).toMatchObject({
      answers: "file-read",
      spec: { source: "builtin" },
      policy: { effect: "allow" },
    });
  });

  it("are suggested for a misspelled name in the configuration", async () => {
    const { code, error } = await haft([
      "tools",
      "-c",
      configured("bad.json", { config: { builtinTools: ["file-reed"] } }),
    ]);
    expect(code).toBe(2);
    expect(error).toContain('did you mean "file-read"');
  });
});
