import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockServer } from "../../src/mcp/lock/lock-server.ts";
import { writeLock } from "../../src/mcp/lock/write-lock.ts";
import { fixture, haft } from "./haft.ts";

const weather = fixture("weather.ts");
const scratch = () => mkdtemp(join(tmpdir(), "haft-policy-"));

const configured = async (options: object): Promise<string> => {
  const file = join(await scratch(), "haft.config.mjs");
  await writeFile(file, `export default ${JSON.stringify(options)};`);
  return file;
};
const rules = [
  { id: "reads", effect: "allow", tools: ["get_*"] },
  {
    id: "not-rome",
    effect: "deny",
    tools: ["get_weather"],
    when: { properties: { city: { const: "Rome" } }, required: ["city"] },
  },
];
const warned = [...rules, { id: "typo", effect: "deny", tools: ["get_wether"] }];
const refused = [...rules, { id: "typo", effect: "deny", when: { properties: { city: { minLenght: 3 } } } }];

describe("haft policy check", () => {
  const check = async (options: object, ...words: readonly string[]) =>
    haft(["policy", "check", "-t", weather, "-c", await configured(options), ...words]);

  it("prints ok with the number of rules and tools", async () => {
    const { code, out } = await check({ policy: { rules } });
    expect([code, out]).toEqual([0, expect.stringMatching(/^ok {2}2 rules against \d+ tools\n$/)]);
  });

  it("prints each problem with its place and fails on errors", async () => {
    const warning = await check({ policy: { rules: warned } });
    expect(warning.code).toBe(0);
    expect(warning.out).toContain('warning  Rule "typo": rules[2].tools[0] "get_wether" matches no tool.');
    expect(warning.out).toContain('Did you mean "get_weather"?');
    expect(warning.out).toContain("/policy/rules/2/tools/0");
    expect((await check({ policy: { rules: warned } }, "--strict")).code).toBe(1);
    expect((await check({ policy: { rules: warned, strict: true } })).code).toBe(1);
    const error = await check({ policy: { rules: refused } });
    expect(error.code).toBe(1);
    expect(error.out).toContain('Did you mean "minLength"?');
  });

  it("prints one JSON value with --json", async () => {
    const { out } = await check({ policy: { rules: warned } }, "--json");
    expect(JSON.parse(out)).toMatchObject({
      rules: 3,
      problems: [
        { code: "unknown_tool", severity: "warning", ruleId: "typo", place: "/policy/rules/2/tools/0" },
      ],
      notChecked: { servers: [] },
    });
  });

  it("compares with the reviewed tools of haft.lock, which it does not start", async () => {
    const folder = await scratch();
    const files = { command: "a-program-that-does-not-exist" };
    const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const server = lockServer({ id: "files", ...files }, undefined, [{ name: "write", inputSchema }]);
    await writeFile(join(folder, "haft.lock"), writeLock({ lockVersion: 2, servers: { files: server } }));
    const config = join(folder, "haft.config.json");
    const put = (command: object, policy: object) =>
      writeFile(config, JSON.stringify({ mcp: { servers: { files: command } }, policy }));
    const when = { properties: { pth: { const: "a" } } };
    const own = [
      { id: "typo", effect: "deny", tools: ["files/wrte"] },
      { id: "path", effect: "deny", tools: ["files/write"], when },
    ];
    await put({ ...files, terms: { wirte: { requiresApproval: true } } }, { rules: own });
    const { out } = await haft(["policy", "check", "-c", config, "--json"]);
    expect(JSON.parse(out)).toMatchObject({
      problems: [
        { ruleId: "typo", suggestion: 'Did you mean "files/write"?' },
        { ruleId: "path", suggestion: 'Did you mean "path"?' },
        { place: "/mcp/servers/files/terms/wirte", suggestion: 'Did you mean "write"?' },
      ],
      notChecked: { servers: [] },
    });
    await put({ ...files, terms: { write: { requiresApproval: true } } }, { rules: [{ effect: "allow" }] });
    const cases = join(folder, "cases.json");
    await writeFile(
      cases,
      JSON.stringify([{ tool: "files/write", arguments: { path: "a" }, expect: "approve" }]),
    );
    expect((await haft(["policy", "test", cases, "-c", config])).out).toContain("1 of 1 case passed");
    // A server that is started in another way was not reviewed.
    await put({ ...files, args: ["--other"] }, { rules: own });
    expect((await haft(["policy", "check", "-c", config])).out).toContain("Not checked: tools of files.");
    expect((await haft(["policy", "test", cases, "-c", config])).out).toContain("haft lock records them");
  });

  it("starts no server and lists the servers whose tools were not checked", async () => {
    const mcp = { servers: { files: { command: "a-program-that-does-not-exist" } } };
    const server = [...rules, { effect: "deny", tools: ["files/*"] }, { effect: "deny", tools: ["fils/*"] }];
    const { code, out } = await check({ mcp, policy: { rules: server } });
    expect(code).toBe(0);
    expect(out).toContain(
      "Not checked: tools of files. No server is started, and haft.lock has no reviewed tools of them.",
    );
    expect(out).toContain('"fils/*" matches no tool');
    expect(out).not.toContain('"files/*" matches no tool');
  });

  it("checks the principal and the token callers of the gateway", async () => {
    const tokens = [{ token: "t".repeat(32), principal: { agent: "desk", allow: ["get_wether"] } }];
    const { out } = await check(
      { principal: { agent: "cli", toolkits: ["none"] }, serve: { auth: { tokens } } },
      "--json",
    );
    expect(JSON.parse(out).problems).toMatchObject([
      { code: "unknown_toolkit", place: "/principal/toolkits/0" },
      { code: "unknown_tool", place: "/serve/auth/tokens/0/principal/allow/0" },
    ]);
  });

  it("accepts no operands", async () => {
    expect((await haft(["policy", "check", "x"])).code).toBe(2);
  });
});

describe("haft policy test", () => {
  const test = async (cases: unknown, ...words: readonly string[]) => {
    const file = join(await scratch(), "cases.json");
    await writeFile(file, typeof cases === "string" ? cases : JSON.stringify(cases));
    return haft([
      "policy",
      "test",
      file,
      "-t",
      weather,
      "-c",
      await configured({ policy: { rules } }),
      ...words,
    ]);
  };

  const passing = [
    { tool: "get_weather", arguments: { city: "Oslo" }, expect: "allow", rules: ["reads"] },
    { tool: "get_weather", arguments: { city: "Rome" }, expect: "deny", rules: ["not-rome"] },
    { caller: { agent: "guest", allow: [] }, tool: "get_weather", expect: "deny" },
    { caller: "guest", tool: "get_weather", expect: "allow" },
  ];

  it("passes when every decision is as expected", async () => {
    expect(await test(passing)).toMatchObject({ code: 0, out: "ok  4 of 4 cases passed\n" });
    expect((await test({ cases: passing })).code).toBe(0);
  });

  it("prints the differing cases and fails", async () => {
    const { code, out } = await test([
      ...passing,
      { name: "Rome is fine", tool: "get_weather", arguments: { city: "Rome" }, expect: "allow" },
      { tool: "get_wind", expect: "deny" },
      { tool: "get_weather", arguments: { town: 7 }, expect: "deny" },
      { tool: "get_weather", arguments: { city: "Oslo" }, expect: "allow", rules: ["not-rome"] },
    ]);
    expect(code).toBe(1);
    expect(out).toContain("differs  Rome is fine: expected allow, got deny\n         denied by not-rome");
    expect(out).toContain('there is no tool "get_wind"');
    expect(out).toContain("do not fit the tool's schema");
    expect(out).toContain("not decided by not-rome");
    expect(out).toContain("4 of 8 cases passed");
  });

  it("prints a line of JSON for each case with --json", async () => {
    const { out } = await test(passing.slice(0, 2), "--json");
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { tool: "get_weather", expected: "allow", decision: "allow", ruleIds: ["reads"], ok: true },
      { tool: "get_weather", expected: "deny", decision: "deny", ruleIds: ["not-rome"], ok: true },
    ]);
  });

  it.each([
    ["invalid JSON", "{", "is not JSON"],
    ["no list", {}, "must contain a list of cases"],
    ["no tool", [{ expect: "deny" }], 'case 1 needs a "tool"'],
    ["no decision", [{ tool: "x", expect: "refuse" }], 'needs "expect": one of allow, approve, deny'],
    ["a misspelled field", [{ tool: "x", exepct: "deny" }], 'Did you mean "expect"?'],
    ["a misspelled principal", [{ tool: "x", expect: "deny", caller: { agnet: "a" } }], "agnet"],
    ["rules that are not a list", [{ tool: "x", expect: "deny", rules: "a" }], '"rules" must be a list'],
  ])("refuses a file with %s", async (_what, cases, message) => {
    const { code, error } = await test(cases);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });

  it("needs one file", async () => {
    expect((await haft(["policy", "test"])).code).toBe(2);
    expect((await haft(["policy", "test", "none.json"])).error).toContain("none.json cannot be read");
  });
});
