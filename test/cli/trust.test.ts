import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { shellQuote } from "../../src/base/text/shell-quote.ts";
import { type Ran, haft as run, type Situation } from "./haft.ts";

const here = realpathSync(process.cwd());
let root = "";
let project = "";
let config = "";
let witness = "";
let env: Readonly<Record<string, string>> = {};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-trust-")));
  project = join(root, "project");
  mkdirSync(project);
  config = join(project, "haft.config.json");
  witness = join(root, "witness");
  env = { HAFT_TRUST: "", HAFT_CONFIG_DIR: join(root, "config"), HOME: root };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A person at a terminal. */
const haft = (words: readonly string[], situation: Situation = {}): Promise<Ran> =>
  run(words, { ...situation, env: { ...env, ...situation.env } });

/** A script, a client or a model with a shell. */
const script = (words: readonly string[], situation: Situation = {}): Promise<Ran> =>
  haft(words, { ...situation, isOperator: false });

/** The command with the project's configuration. */
const inProject = (...words: readonly string[]): readonly string[] => [...words, "-c", config];

const code = (exports = "export default {};"): string =>
  `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(witness)}, "ran"); ${exports}`;

const put = (name: string, content: string | object): void =>
  writeFileSync(join(project, name), typeof content === "string" ? content : JSON.stringify(content));

/** Each test needs its own file name, because a process imports a module once. */
const putCode = (): void => {
  config = join(project, `haft-${randomUUID()}.config.mjs`);
  writeFileSync(config, code());
};

const server = { command: "haft-test-server", args: ["--evil\u202e"] };
const putServer = (more: object = {}): void => {
  put("haft.config.json", "{}");
  put("haft.mcp.json", { servers: { evil: { ...server, ...more } } });
};

/** Trusts the project and accepts none of its launches. */
const trustProject = (): Promise<Ran> => haft(inProject("trust", "add", project), { answers: ["n"] });

/** The hash of the only refused launch. */
const refusedHash = async (): Promise<string> => {
  const { out } = await script(inProject("tools", "--json"));
  return JSON.parse(out).launches[0].hash;
};

describe("a folder that is not trusted", () => {
  it.each(["haft.config.json", "haft.mcp.json", "haft.openapi.json"])(
    "stops a command that would use its %s, and prints how to trust it",
    async (name) => {
      put("haft.config.json", "{}");
      put(name, "{}");
      const { code, error, out } = await script(inProject("tools", "--json"));
      expect(code).toBe(5);
      expect(error).toContain(`haft trust add ${shellQuote(project)}`);
      expect(JSON.parse(out)).toMatchObject({
        refused: "untrusted",
        folder: project,
        files: expect.arrayContaining([name]),
        accept: [`haft trust add ${shellQuote(project)}`],
      });
    },
  );

  it.each([
    ["tools"],
    ["explain", "x"],
    ["mcp", "list"],
    ["serve"],
    ["studio"],
    ["call", "x", "{}"],
    ["lock", "--check"],
  ])("runs no code configuration: haft %s", async (...words) => {
    putCode();
    expect((await script(inProject(...words.filter((word) => word !== undefined)))).code).toBe(5);
    expect(existsSync(witness)).toBe(false);
  });

  it("is trusted for one process by --trust and by HAFT_TRUST, and not remembered", async () => {
    put("haft.config.json", "{}");
    expect((await script(inProject("tools", "--trust"))).code).toBe(0);
    expect((await script(inProject("tools"), { env: { HAFT_TRUST: "1" } })).code).toBe(0);
    expect((await script(inProject("tools"))).code).toBe(5);
  });

  it("is trusted and remembered after a yes at the terminal", async () => {
    putCode();
    const no = await haft(inProject("tools"), { answers: ["n"] });
    expect(no.code).toBe(5);
    expect(existsSync(witness)).toBe(false);
    const yes = await haft(inProject("tools"), { answers: ["y"] });
    expect(yes.error).toContain(`This folder is not trusted: ${project}`);
    expect(yes.error).toContain("can run programs as you");
    expect(yes.code).toBe(0);
    expect(existsSync(witness)).toBe(true);
    expect((await script(inProject("tools"))).code).toBe(0);
  });

  it.each(["the folder", "a launch"])("ends the command at Ctrl-C while it asks about %s", async (asked) => {
    putServer();
    if (asked === "a launch") await trustProject();
    const stop = new AbortController();
    const ran = await haft(inProject("tools"), { signal: stop.signal, onAsk: () => stop.abort() });
    expect(ran).toMatchObject({ code: 130, out: "", error: expect.stringContaining("Cancelled.") });
    expect((await script(inProject("tools"))).code).toBe(5);
  });

  it("is any folder that is not below a trusted one", async () => {
    await haft(["trust", "add", project]);
    for (const [folder, code] of [
      [join(project, "below"), 0],
      [join(root, "project-2"), 5],
      [root, 5],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      config = join(folder, "haft.config.json");
      writeFileSync(config, "{}");
      expect({ folder, code: (await script(inProject("tools"))).code }).toEqual({ folder, code });
    }
  });

  it("is identified by its real path", async () => {
    put("haft.config.json", "{}");
    symlinkSync(project, join(root, "link"));
    await haft(["trust", "add", join(root, "link")]);
    expect((await script(inProject("tools"))).code).toBe(0);
  });

  it("cannot provide its own trust store", async () => {
    put("haft.config.json", "{}");
    const own = { env: { HAFT_CONFIG_DIR: join(project, ".haft-config") } };
    await haft(["trust", "add", project], own);
    expect((await script(inProject("tools"), own)).code).toBe(5);
  });

  it("runs no code next to a .gram file", async () => {
    put(
      "hello.gram",
      readFileSync(new URL("../../examples/hello-world/hello.gram", import.meta.url), "utf8"),
    );
    put("hello.mjs", code('export const greet = () => "hi";'));
    const ran = await script(["run", join(project, "hello.gram"), "hi"]);
    expect(ran).toMatchObject({ code: 5, error: expect.stringContaining("hello.mjs") });
    expect(existsSync(witness)).toBe(false);
  });

  it("runs no code for commands that only read a ledger", async () => {
    putCode();
    const ledger = `sqlite:${join(root, "ledger.db")}`;
    await script(["ledger", "migrate", "--ledger", ledger]);
    for (const words of [["log"], ["approvals"], ["runs"]]) {
      const { code, error } = await script(inProject(...words, "--ledger", ledger));
      expect({ words, code }).toEqual({ words, code: 0 });
      expect(error).toContain("was not read: its folder is not trusted");
    }
    expect(existsSync(witness)).toBe(false);
  });

  it("can name its ledger in JSON for commands that only read, which run none of its tools", async () => {
    const file = join(project, "own.db");
    put("haft.config.json", { ledger: `sqlite:${file}`, tools: ["./evil.mjs"] });
    put("evil.mjs", code());
    const there = { env: { HAFT_LEDGER: "" } };
    await script(inProject("ledger", "migrate"), there);
    expect(existsSync(file)).toBe(true);
    expect((await script(inProject("log"), there)).code).toBe(0);
    expect(existsSync(witness)).toBe(false);
  });

  it.each(["postgres://127.0.0.1:1/books", "sqlite:../elsewhere.db"])(
    "cannot name a ledger outside of the folder: %s",
    async (ledger) => {
      put("haft.config.json", { ledger });
      const there = { env: { HAFT_LEDGER: "" } };
      for (const words of [["log"], ["runs"], ["approvals"], ["ledger", "migrate"]]) {
        const { code, error } = await script(inProject(...words), there);
        expect(code).toBe(5);
        expect(error).toContain("haft trust add");
      }
    },
  );

  it("cannot have another file read as settings", async () => {
    writeFileSync(join(root, "private"), "PRIVATE KEY");
    put("haft.config.json", { config: join(root, "private") });
    for (const words of [["doctor", "quickjs"], ["log"], ["runs"]]) {
      const { out, error } = await script(inProject(...words), { env: { HAFT_LEDGER: "" } });
      expect(out + error).not.toContain("PRIVATE");
    }
  });

  it("is refused if its configuration is not a regular file", async () => {
    mkdirSync(config);
    const { code, error } = await script(inProject("log"));
    expect([code, error]).toEqual([2, expect.stringContaining("is not a regular file")]);
  });

  it("cannot lead a ledger outside of the folder by a link", async () => {
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(project, "data"));
    symlinkSync(join(root, "elsewhere", "new.db"), join(project, "l.db"));
    for (const name of ["data/l.db", "l.db"]) {
      put("haft.config.json", { ledger: `sqlite:${join(project, name)}` });
      const { code } = await script(inProject("ledger", "migrate"), { env: { HAFT_LEDGER: "" } });
      expect([name, code]).toEqual([name, 5]);
    }
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });
});

describe("a launch of a trusted folder", () => {
  it.each([["tools"], ["explain", "x"], ["mcp", "list"], ["serve"], ["call", "x", "{}"], ["studio"]])(
    "is refused until it is accepted, with the command that accepts it: haft %s",
    async (...words) => {
      putServer();
      await trustProject();
      const hash = await refusedHash();
      const { code, error } = await script(inProject(...words.filter((word) => word !== undefined)));
      expect(code).toBe(5);
      expect(error).toContain('the MCP server "evil": haft-test-server');
      expect(error).toContain(
        `haft trust add ${hash} --folder ${shellQuote(here)} --config ${shellQuote(config)}`,
      );
    },
  );

  it("is refused with JSON on standard output, unless standard output carries the protocol", async () => {
    putServer();
    await trustProject();
    const { out } = await script(inProject("mcp", "list", "--json"));
    expect(JSON.parse(out)).toMatchObject({
      refused: "untrusted",
      launches: [{ for: 'the MCP server "evil"', folder: here, command: expect.any(String) }],
    });
    expect((await script(inProject("serve", "--json"))).out).toBe("");
  });

  it("is shown in full at a terminal, with hidden characters escaped", async () => {
    putServer();
    const { error } = await trustProject();
    expect(error).toContain('haft-test-server "--evil<U+202E>"');
    expect(error).toContain(`in ${here}`);
  });

  it("is not accepted because of a haft.lock in the folder", async () => {
    putServer();
    await trustProject();
    put("haft.lock", { lockVersion: 2, servers: {} });
    expect((await script(inProject("tools"))).code).toBe(5);
  });

  it("must be accepted again after it changes", async () => {
    putServer();
    await trustProject();
    const hash = await refusedHash();
    await haft(inProject("trust", "add", hash), { answers: ["y"] });
    expect((await script(["trust", "list", "--json"])).out).toContain(hash);
    putServer({ args: ["--other"] });
    expect(await refusedHash()).not.toBe(hash);
  });

  it("may also be a secret command or a URL that receives a secret", async () => {
    put("haft.config.json", {
      mcp: { servers: { far: { url: "https://evil.example/mcp", headers: { A: { secret: "TOKEN" } } } } },
      credentials: { command: { argv: { TOKEN: ["touch", witness] } } },
    });
    await haft(["trust", "add", project]);
    const { out } = await script(inProject("tools", "--json"));
    const launches: readonly { readonly for: string }[] = JSON.parse(out).launches;
    expect(launches.map((each) => each.for)).toEqual([
      'the MCP server "far"',
      'the command for the secret "TOKEN"',
    ]);
  });
});

describe("haft trust", () => {
  it("lists, adds and removes folders and launches", async () => {
    putServer();
    const added = await haft(inProject("trust", "add", project), { answers: ["y"] });
    expect(added.out).toContain(`trusted ${project}`);
    expect(added.out).toContain('accepted the MCP server "evil"');
    const rows = (await haft(["trust", "list", "--json"])).out.trim().split("\n");
    const [folder, launch] = rows.map((row) => JSON.parse(row));
    expect(folder).toMatchObject({ kind: "folder", id: project });
    expect(launch).toMatchObject({ kind: "launch", folder: here });
    const table = (await haft(["trust", "list"])).out;
    expect(table).toContain(launch.id.slice(0, 12));
    expect(table).toContain(project);
    const removed = await haft(["trust", "remove", launch.id.slice(0, 12), project]);
    expect(removed.code).toBe(0);
    expect((await haft(["trust", "list", "--json"])).out).toBe("");
  });

  it("refuses a hash that no launch of the configuration has", async () => {
    putServer();
    await trustProject();
    const { code, error } = await haft(inProject("trust", "add", "0123456789abcdef"), { answers: ["y"] });
    expect(code).toBe(2);
    expect(error).toContain("has the hash 0123456789abcdef");
  });

  it.each(["/", "the home folder"])("does not trust %s", async (folder) => {
    const { code, error } = await haft(["trust", "add", folder === "/" ? folder : root]);
    expect(code).toBe(2);
    expect(error).toContain("Trust a project folder in it");
  });

  it("reports why it ignores a trust store", async () => {
    put("haft.config.json", "{}");
    await haft(["trust", "add", project]);
    const file = join(root, "config", "trust.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(project, root));
    const { code, error } = await script(inProject("tools"));
    expect(code).toBe(5);
    expect(error).toContain("trust.json is ignored");
  });
});

describe("commands of operators", () => {
  it.each([
    ["approve 1f0c9a2b1f0c"],
    ["deny 1f0c9a2b1f0c"],
    ["trust add /tmp"],
    ["trust remove /tmp"],
    ["trust secret"],
    ["lock"],
    ["lock --yes --accept-flags"],
    ["lock --trust --yes"],
  ])("are refused without a terminal and a secret: haft %s", async (line) => {
    const { code, error, out } = await script([...line.split(" "), "--json"]);
    expect({ code, error }).toMatchObject({ code: 6, error: expect.stringContaining("terminal") });
    expect(JSON.parse(out)).toMatchObject({ refused: "operator_required" });
  });

  it("work without a terminal for a process that has the operator secret", async () => {
    const secret = (await haft(["trust", "secret"])).out.trim();
    const given = { env: { HAFT_OPERATOR_SECRET: secret } };
    expect((await script(["trust", "add", project], given)).code).toBe(0);
    const file = join(root, "secret");
    writeFileSync(file, `${secret}\n`);
    expect((await script(["trust", "remove", project, "--operator-secret-file", file])).code).toBe(0);
    const wrong = await script(["trust", "add", project], { env: { HAFT_OPERATOR_SECRET: `${secret}x` } });
    expect(wrong.code).toBe(6);
    expect(wrong.error).not.toContain(secret);
  });

  it.each([true, false])(
    "make a Studio link that can approve only for an operator: %s",
    async (isOperator) => {
      const stop = new AbortController();
      const ran = await haft(["studio", "--port", "0", "--json"], {
        isOperator,
        signal: stop.signal,
        onOut: () => stop.abort(),
      });
      expect(ran.code).toBe(0);
      expect(ran.error.includes("The link is read-only")).toBe(!isOperator);
    },
  );

  it("keep only a hash of the operator secret", async () => {
    const { out } = await haft(["trust", "secret"]);
    expect(readFileSync(join(root, "config", "trust.json"), "utf8")).not.toContain(out.trim());
  });
});
