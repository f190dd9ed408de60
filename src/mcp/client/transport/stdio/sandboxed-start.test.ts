import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { describe, expect, it } from "vitest";
import { atEnd, call, failureOf, open, textOf } from "../../../../../test/kit/mcp/scene.ts";
import { probeBubblewrap } from "../../../../sandbox/bubblewrap/probe.ts";
import { MCPConnectionError, SandboxError } from "../../../../words/errors.ts";
import type { ServerSandbox } from "../../../../words/mcp.ts";
import { sandboxedStart } from "./sandboxed-start.ts";

const probed = await Effect.runPromiseExit(probeBubblewrap);
const reason = Exit.isSuccess(probed) ? "" : " (skipped: bubblewrap is missing or does not hold here)";

const here = Effect.succeed({ bwrap: "/usr/bin/bwrap", prlimit: "/usr/bin/prlimit" });
const startOf = (
  server: object,
  sandbox: Partial<ServerSandbox> = {},
  probe: typeof probeBubblewrap = here,
) =>
  sandboxedStart(
    { id: "notes", command: "/bin/sh", ...server },
    { engine: "bubblewrap", ...sandbox },
    { PATH: "/bin", HOME: "/home/ada", TOKEN: "s3cret", LD_PRELOAD: "/x.so" },
    probe,
  );

describe("how a server is started in a sandbox", () => {
  it("where the sandbox cannot be had, the server is not started, and it is said what to install", async () => {
    const missing = Effect.fail(
      new SandboxError("sandbox_failed", "bubblewrap is not installed. Install it: …"),
    );
    const failure = await failureOf(startOf({}, {}, missing));
    expect(failure).toBeInstanceOf(MCPConnectionError);
    expect(failure).toMatchObject({
      code: "mcp_unreachable",
      message: 'The MCP server "notes" is not started: bubblewrap is not installed. Install it: …',
    });
  });

  it("its secrets are in no argument, and its home is a place of its own", async () => {
    const { command, args, env } = await startOf({ args: ["-c", "true"] });
    expect([command, args.slice(-3)]).toEqual(["/usr/bin/bwrap", ["/bin/sh", "-c", "true"]]);
    expect(args.join(" ")).not.toContain("s3cret");
    expect(env).toEqual(expect.objectContaining({ TOKEN: "s3cret", HOME: "/tmp" }));
    expect(env).not.toHaveProperty("LD_PRELOAD");
    expect(args.join(" ")).toContain("--setenv LD_PRELOAD /x.so");
    expect((await startOf({ inheritEnv: ["HOME"] })).env).toMatchObject({ HOME: "/home/ada" });
  });

  it("it has no network and no folder unless its configuration names them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-sandboxed-"));
    atEnd(() => rmSync(folder, { recursive: true }));
    const { args } = await startOf({});
    expect(args).toContain("--unshare-net");
    expect(args.join(" ")).not.toContain(folder);
    const wider = (await startOf({ cwd: folder }, { network: true, write: [folder] })).args;
    expect(wider).not.toContain("--unshare-net");
    expect(wider.join(" ")).toContain(`--bind ${folder} ${folder}`);
    expect(wider.join(" ")).toContain(`--chdir ${folder}`);
  });

  it("a path that makes no sense is refused, and so is a command that the sandbox would not show", async () => {
    expect((await failureOf(startOf({}, { read: ["/"] }))).message).toContain(
      "name the folders that are needed",
    );
    expect((await failureOf(startOf({}, { write: ["notes"] }))).message).toContain("not an absolute path");
    const hidden = await failureOf(startOf({ command: "/opt/notes/server" }));
    expect(hidden.message).toContain("Name the folder of that program under sandbox.read");
  });
});

describe.skipIf(reason !== "")(`a server in bubblewrap${reason}`, () => {
  it("answers, and sees no file but those it was given", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-sandboxed-"));
    atEnd(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "canary"), "outside");
    writeFileSync(join(folder, "server.mjs"), server);
    const given = mkdtempSync(join(folder, "given-"));
    const session = await open({
      command: process.execPath,
      args: [join(folder, "server.mjs"), join(folder, "canary"), given],
      era: "legacy",
      sandbox: { engine: "bubblewrap", read: [process.execPath, join(folder, "server.mjs")], write: [given] },
    });
    expect(JSON.parse(textOf(await call(session, "look")))).toEqual({
      canary: "ENOENT",
      wrote: true,
      home: "/tmp",
    });
    expect(readFileSync(join(given, "note"), "utf8")).toBe("kept");
  });
});

/** Speaks as much of the protocol as it takes to be asked once. */
const server = `
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [canary, given] = process.argv.slice(2);
const look = () => {
  let seen;
  try { seen = readFileSync(canary, "utf8") } catch (error) { seen = error.code }
  writeFileSync(given + "/note", "kept");
  return { canary: seen, wrote: true, home: process.env.HOME };
};
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "look", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: JSON.stringify(look()) }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: "no" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
});
`;
