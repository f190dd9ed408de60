import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { start } from "./start.ts";

const root = mkdtempSync(join(tmpdir(), "haft-cloned-"));
const witness = join(root, "witness");
const ledger = `sqlite:${join(root, "ledger.db")}`;
afterAll(() => rmSync(root, { recursive: true, force: true }));

const hello = fileURLToPath(new URL("../../../examples/hello-world/hello.gram", import.meta.url));
const stranger = { HOME: join(root, "home"), HAFT_TRUST: "", HAFT_CONFIG_DIR: "", HAFT_OPERATOR_SECRET: "" };

/** Runs as a user who has never used Haft, without a terminal. */
const haft = (words: readonly string[], cwd: string) =>
  start(words, { cwd, env: { ...stranger, GITHUB_TOKEN: "ghp_secret" } }).ended;

const touch = `require("node:fs").writeFileSync(${JSON.stringify(witness)}, "ran")`;
const code = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(witness)}, "ran");\n`;
const server = { command: process.execPath, args: ["-e", touch] };
const launch = { command: process.execPath, args: ["-e", touch], envKeys: [] };

const folders = {
  "code configuration": (folder: string) =>
    writeFileSync(join(folder, "haft.config.ts"), `${code}export default {};\n`),
  "JSON configuration": (folder: string) =>
    writeFileSync(
      join(folder, "haft.config.json"),
      JSON.stringify({
        tools: ["./agent.ts"],
        mcp: { servers: { one: server, two: { ...server, env: { T: { secret: "T" } } } } },
        credentials: { command: { argv: { T: [process.execPath, "-e", touch] } } },
        serve: { auth: { tokens: [{ token: { secret: "T" }, principal: { agent: "x" } }] } },
      }),
    ),
  "servers file alone": () => {},
} as const;

/** Everything a hostile repository can contain, for every kind of configuration. */
const fill = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "haft.mcp.json"), JSON.stringify({ servers: { evil: server } }));
  writeFileSync(
    join(folder, "haft.lock"),
    JSON.stringify({ lockVersion: 2, servers: { evil: { launch, launchHash: "", tools: {} } } }),
  );
  writeFileSync(join(folder, "cases.json"), JSON.stringify([{ tool: "getX", expect: "allow" }]));
  copyFileSync(hello, join(folder, "agent.gram"));
  writeFileSync(join(folder, "agent.ts"), `${code}export const doIt = () => "done";\n`);
  writeFileSync(
    join(folder, "api.json"),
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Api", version: "1" },
      servers: [{ url: "https://api.example" }],
      paths: { "/x": { get: { operationId: "getX", responses: { 200: { description: "ok" } } } } },
    }),
  );
};

beforeAll(async () => {
  mkdirSync(join(root, "home"));
  for (const [name, configure] of Object.entries(folders)) {
    const folder = join(root, name);
    fill(folder);
    configure(folder);
  }
  expect((await haft(["ledger", "migrate", "--ledger", ledger], root)).code).toBe(0);
});

/** Command lines with their expected exit codes. */
const commands: readonly (readonly [string, number])[] = [
  ["tools", 5],
  ["tools --json", 5],
  ["explain getX", 5],
  ["mcp list", 5],
  ["mcp list --offline", 0],
  ["mcp show evil", 0],
  ["serve", 5],
  ["serve --http --port 0", 5],
  ["studio --port 0", 5],
  ["studio agent.gram --port 0", 5],
  ["call getX {}", 5],
  ["run agent.gram hello", 5],
  ["worker agent.gram", 5],
  ["ab agent.gram --a a.ts --b b.ts --inputs x.jsonl", 2],
  ["lock", 6],
  ["lock --yes --accept-flags", 6],
  ["lock --check", 5],
  ["lock --diff", 5],
  ["approve 1f0c9a2b1f0c", 6],
  ["deny 1f0c9a2b1f0c", 6],
  ["settle 1f0c9a2b1f0c --did-not", 6],
  ["trust add .", 6],
  ["trust remove .", 6],
  ["trust secret", 6],
  ["trust list", 0],
  ["policy check", 5],
  ["policy test cases.json", 5],
  ["gram check agent.gram", 0],
  ["mcp discover", 0],
  [`runs give-up run-1 --ledger ${ledger}`, 1],
  ["fleet --ledger postgres://127.0.0.1:1/none", 1],
  [`log --ledger ${ledger}`, 0],
  [`runs --ledger ${ledger}`, 0],
  [`approvals --ledger ${ledger}`, 0],
  [`resume run-1 --ledger ${ledger}`, 5],
  [`replay run-1 --ledger ${ledger}`, 5],
  ["doctor quickjs", 0],
  ["import openapi api.json --dry-run", 0],
];

describe.each(Object.keys(folders))("a cloned folder with %s", (name) => {
  it.each(commands)("executes none of its code: haft %s", async (line, expected) => {
    rmSync(witness, { force: true });
    const { code: found, error, out } = await haft(line.split(" "), join(root, name));
    expect(existsSync(witness), `${error}${out}`).toBe(false);
    expect(out).not.toContain("ghp_secret");
    // A folder with only a servers file has no ledger to trust.
    const isLedgerOnly = name === "servers file alone" && /^(resume|replay)/.test(line);
    if (!isLedgerOnly) expect({ line, code: found, error }).toMatchObject({ code: expected });
  });
});

it("the same commands execute the code of a trusted folder", async () => {
  rmSync(witness, { force: true });
  const trusted = start(["tools", "--trust"], {
    cwd: join(root, "code configuration"),
    env: stranger,
  });
  await trusted.ended;
  expect(existsSync(witness)).toBe(true);
});
