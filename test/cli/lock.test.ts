import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Terminal } from "../../src/cli/command.ts";
import { lock as lockCommand } from "../../src/cli/commands/lock.ts";
import type { ListServerTools } from "../../src/cli/lock/start-gate.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { serverLaunch } from "../../src/cli/trust/launch.ts";
import { readLock } from "../../src/mcp/lock/read-lock.ts";
import type { ServerListing } from "../../src/mcp/lock/review/review.ts";
import type { NamedMcpServer, RemoteTool } from "../../src/types/mcp.ts";

const files: NamedMcpServer = { id: "files", command: "files-server", args: ["/data"] };
const mail: NamedMcpServer = { id: "mail", url: "https://mail.example.com/mcp" };
const readTool: RemoteTool = {
  name: "read_file",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { limit: { default: 10 } } },
};
const send: RemoteTool = { name: "send", description: "Sends it.", inputSchema: { type: "object" } };
const hidden: RemoteTool = { ...readTool, description: "Reads\u{e0041} a file." };
const usual: readonly ServerListing[] = [
  { server: files, serverInfo: { name: "Files", version: "1" }, tools: [readTool] },
  { server: mail, tools: [send] },
];
const changed: readonly ServerListing[] = [
  {
    server: files,
    tools: [{ ...readTool, inputSchema: { type: "object", properties: { limit: { default: 11 } } } }],
  },
  { server: mail, tools: [send] },
];

const folders: string[] = [];
let file = "";
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), "haft-lock-"));
  folders.push(folder);
  await mkdir(join(folder, "project"));
  file = join(folder, "project", "haft.lock");
});
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

interface Situation {
  readonly listing?: readonly ServerListing[];
  readonly answers?: readonly string[];
  readonly hasColor?: boolean;
  readonly isTrusted?: boolean;
  readonly isOperator?: boolean;
}

/**
 * Replaces the runtime: asks about launches, then checks the gate before each server, as the real one does.
 */
const listing =
  (all: readonly ServerListing[]): ListServerTools =>
  async (_given, _terminal, { trust, gate }) => {
    await trust.requireLaunches(all.map(({ server }) => serverLaunch(server.id, server, undefined)));
    return all.map((each) => {
      const trouble = gate(each.server, undefined);
      return trouble === undefined ? each : { server: each.server, tools: [], trouble };
    });
  };

const haft = async (words: readonly string[], situation: Situation = {}) => {
  const left = [...(situation.answers ?? [])];
  const ran = { out: "", error: "" };
  const { signal } = new AbortController();
  const terminal: Terminal = {
    out: (text) => {
      ran.out += text;
    },
    error: (text) => {
      ran.error += text;
    },
    env: {
      HAFT_CONFIG_DIR: join(file, "../../config"),
      HAFT_TRUST: situation.isTrusted === false ? "" : "1",
    },
    isInteractive: situation.answers !== undefined,
    isOperator: situation.isOperator ?? true,
    hasColor: situation.hasColor ?? false,
    width: 100,
    signal,
    unread: signal,
    input: async () => "",
    ask: async (question) => {
      ran.error += question;
      return left.shift();
    },
    now: () => 0,
    wait: () => Promise.resolve(),
  };
  const load = async () => lockCommand(listing(situation.listing ?? usual));
  const commands = [{ name: "lock", about: "", load }];
  const code = await runCommandLine(["lock", "--file", file, ...words], commands, terminal);
  return { code, ...ran };
};

describe("haft lock", () => {
  it("shows the changes, asks for confirmation, and writes a lock that everyone can read", async () => {
    const ran = await haft([], { answers: ["y", "y", "y"], isTrusted: false });
    expect(ran.code).toBe(0);
    expect(ran.error).toContain('The MCP server "files" was not accepted before:\n  files-server /data');
    expect(ran.out).toContain("+ files/read_file  added");
    expect(ran.error).toContain(`Accept this and write ${file}? [y/N]`);
    const lock = readLock(await readFile(file, "utf8"));
    expect(Object.keys(lock.servers)).toEqual(["files", "mail"]);
    expect(lock.servers.files!.serverInfo).toBe("Files");
    expect((await stat(file)).mode & 0o777).toBe(0o644);
    expect(await readdir(join(file, ".."))).toEqual(["haft.lock"]);
    const again = await haft([], { answers: [], isTrusted: false });
    expect(again.out).toContain("is up to date; tools: 2 unchanged.");
    expect(again.error).toBe("");
  });

  it.each(["n", ""])("writes nothing when the answer is %j", async (answer) => {
    const ran = await haft([], { answers: [answer] });
    expect(ran.code).toBe(1);
    expect(ran.error).toContain("Nothing was written.");
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });

  it("needs --yes without a terminal", async () => {
    const ran = await haft([]);
    expect(ran.code).toBe(2);
    expect(ran.error).toContain("Confirmation requires a terminal. Use --yes to accept this");
    expect((await haft(["--yes"])).code).toBe(0);
  });

  it("writes nothing without an operator, and starts nothing that was not accepted", async () => {
    for (const words of [[], ["--yes"], ["--yes", "--accept-flags"], ["--rebuild", "--yes"]])
      expect((await haft(words, { isOperator: false })).code).toBe(6);
    for (const words of [["--check"], ["--diff"]]) {
      await haft(["-y"]);
      expect((await haft(words, { isOperator: false, isTrusted: false })).code).toBe(5);
    }
  });

  it("omits a server whose launch was refused", async () => {
    const ran = await haft([], { answers: ["n", "y", "y"], isTrusted: false });
    expect(ran.code).toBe(1);
    expect(Object.keys(readLock(await readFile(file, "utf8")).servers)).toEqual(["mail"]);
  });

  it("shows a change as a diff, and accepts it", async () => {
    await haft(["-y"]);
    const ran = await haft([], { listing: changed, answers: ["yes"] });
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/- +"default": 10\n +\+ +"default": 11/);
    expect((await haft(["--check"], { listing: changed })).code).toBe(0);
  });

  it("accepts dangerous tools only by name or with --accept-flags", async () => {
    const dangerous: readonly ServerListing[] = [{ server: files, tools: [hidden] }];
    const refused = await haft(["--yes"], { listing: dangerous });
    expect(refused.code).toBe(1);
    expect(refused.out).toContain(
      "! danger tag_characters  files/read_file at /description: Reads<U+E0041> a file.",
    );
    expect(refused.error).toContain("--accept files/read_file, or all with --accept-flags");
    await expect(stat(file)).rejects.toThrow("ENOENT");
    expect((await haft(["--yes", "--accept", "files/other"], { listing: dangerous })).code).toBe(1);
    expect((await haft(["--yes", "--accept", "files/read_file"], { listing: dangerous })).code).toBe(0);
    expect(readLock(await readFile(file, "utf8")).servers.files!.tools.read_file!.accepted).toEqual([
      "tag_characters",
    ]);
    expect((await haft(["--check"], { listing: dangerous })).code).toBe(0);
    await rm(file);
    expect((await haft(["--yes", "--accept-flags"], { listing: dangerous })).code).toBe(0);
  });

  it("accepts only the servers and tools that are named", async () => {
    await haft(["-y"]);
    const more: readonly ServerListing[] = [
      {
        server: files,
        tools: [
          { ...readTool, title: "Read" },
          { ...send, name: "more", description: "More." },
        ],
      },
      { server: mail, tools: [{ ...send, title: "Send" }] },
    ];
    const ran = await haft(["-y", "files/more"], { listing: more });
    expect(ran.code).toBe(0);
    expect(ran.out).not.toContain("mail/send");
    const { servers } = readLock(await readFile(file, "utf8"));
    expect(Object.keys(servers.files!.tools)).toEqual(["more", "read_file"]);
    expect(servers.files!.tools.read_file!.title).toBeUndefined();
    expect((await haft(["-y", "mail"], { listing: more })).code).toBe(0);
    expect((await haft(["--check", "mail"], { listing: more })).code).toBe(0);
    expect((await haft(["--check", "files"], { listing: more })).code).toBe(1);
    expect((await haft(["-y", "nobody"], { listing: more })).error).toContain(
      "The servers are: files, mail.",
    );
    expect((await haft(["-y", "files/nothing"], { listing: more })).code).toBe(2);
  });

  it("refuses to accept a part of a server whose launch changed", async () => {
    await haft(["-y"]);
    const moved = [{ server: { ...files, args: ["/"] }, tools: [{ ...readTool, title: "Read" }] }, usual[1]!];
    const ran = await haft(["-y", "files/read_file"], { listing: moved });
    expect(ran.code).toBe(2);
    expect(ran.error).toContain("Accept the whole server: haft lock files");
    expect((await haft(["-y", "files"], { listing: moved })).code).toBe(0);
  });
});

describe("haft lock --check", () => {
  it("succeeds without drift and needs no terminal", async () => {
    await haft(["-y"]);
    const ran = await haft(["--check"]);
    expect(ran).toEqual({ code: 0, out: `No tool differs from ${file}; tools: 2 unchanged.\n`, error: "" });
  });

  it("prints the review and fails when a tool changed, and writes nothing", async () => {
    await haft(["-y"]);
    const before = await readFile(file, "utf8");
    const ran = await haft(["--check"], { listing: changed });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("changed: /inputSchema/properties/limit/default");
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("starts no server whose launch differs from the reviewed one", async () => {
    await haft(["-y"]);
    const moved = [{ server: { ...files, args: ["/"] }, tools: [readTool] }, usual[1]!];
    const ran = await haft(["--check"], { listing: moved, answers: ["y"] });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(
      "could not be reached: The server files is not started: it was reviewed as files-server /data",
    );
    expect(ran.error).not.toContain("[y/N]");
  });

  it("fails without a lock, or when a server cannot be reached", async () => {
    const none = await haft(["--check"]);
    expect(none.code).toBe(1);
    expect(none.error).toContain("haft lock writes it");
    await haft(["-y"]);
    const down: readonly ServerListing[] = [usual[0]!, { server: mail, tools: [], trouble: "no response" }];
    const ran = await haft(["--check"], { listing: [] });
    expect(ran.code).toBe(1);
    expect((await haft(["--check"], { listing: down })).out).toContain("could not be reached: no response");
  });
});

describe("haft lock --diff and --json", () => {
  it("print the review and exit with 0", async () => {
    await haft(["-y"]);
    const ran = await haft(["--diff"], { listing: changed, hasColor: true });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("\u001b[32m");
    expect(ran.error).toBe("");
    const same = await haft(["--diff"]);
    expect(same.out).toContain("No tool differs");
  });

  it("print one JSON object", async () => {
    const written = await haft(["-y", "--json"]);
    expect(JSON.parse(written.out)).toMatchObject({ file, outcome: "written", review: { isClean: false } });
    expect(JSON.parse((await haft(["-y", "--json"])).out)).toMatchObject({ outcome: "unchanged" });
    const drifted = await haft(["--check", "--json"], { listing: changed });
    expect(drifted.code).toBe(1);
    expect(JSON.parse(drifted.out)).toMatchObject({
      file,
      isClean: false,
      servers: [{ id: "files", tools: [{ name: "read_file", change: "changed" }] }, { id: "mail" }],
    });
  });
});

describe("a corrupt lock", () => {
  it("is reported with the remedy and replaced only by --rebuild", async () => {
    await haft(["-y"]);
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("Reads a file.", "Reads all files."));
    for (const words of [[], ["--check"], ["--diff"], ["--yes"]]) {
      const ran = await haft(words);
      expect(ran.code).toBe(1);
      expect(ran.error).toContain("/servers/files/tools/read_file");
      expect(ran.error).toContain("haft lock --rebuild");
    }
    expect(JSON.parse((await haft(["--check", "--json"])).out)).toMatchObject({ isClean: false });
    expect((await haft(["--rebuild", "--yes"])).code).toBe(0);
    expect(await readFile(file, "utf8")).toBe(text);
  });
});

it("haft lock refuses options that exclude each other", async () => {
  for (const words of [
    ["--check", "--diff"],
    ["--check", "--rebuild"],
    ["--diff", "--accept-flags"],
    ["--check", "--yes"],
  ])
    expect((await haft(words)).code).toBe(2);
});

it("haft lock --help prints examples", async () => {
  const { out } = await haft(["--help"]);
  expect(out).toContain("haft lock --check");
  expect(out).toContain("--accept SERVER/TOOL");
});
