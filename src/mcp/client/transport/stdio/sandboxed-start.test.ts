import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { onTestEnd, rejectionOf } from "../../../../../test/kit/mcp/mcp-session-scene.ts";
import type { probeBubblewrap } from "../../../../sandbox/bubblewrap/probe-bubblewrap.ts";
import { MCPConnectionError, SandboxError } from "../../../../types/errors.ts";
import type { ServerSandbox } from "../../../../types/mcp.ts";
import { createSandboxedStart } from "./sandboxed-start.ts";

const here = Effect.succeed({ bwrap: "/usr/bin/bwrap", prlimit: "/usr/bin/prlimit" });
const startOf = (
  server: object,
  sandbox: Partial<ServerSandbox> = {},
  probe: typeof probeBubblewrap = here,
) =>
  createSandboxedStart(
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
    const failure = await rejectionOf(startOf({}, {}, missing));
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
    onTestEnd(() => rmSync(folder, { recursive: true }));
    const { args } = await startOf({});
    expect(args).toContain("--unshare-net");
    expect(args.join(" ")).not.toContain(folder);
    const wider = (await startOf({ cwd: folder }, { network: true, write: [folder] })).args;
    expect(wider).not.toContain("--unshare-net");
    expect(wider.join(" ")).toContain(`--bind ${folder} ${folder}`);
    expect(wider.join(" ")).toContain(`--chdir ${folder}`);
  });

  it("a path that makes no sense is refused, and so is a command that the sandbox would not show", async () => {
    expect((await rejectionOf(startOf({}, { read: ["/"] }))).message).toContain(
      "name the folders that are needed",
    );
    expect((await rejectionOf(startOf({}, { write: ["notes"] }))).message).toContain("not an absolute path");
    const hidden = await rejectionOf(startOf({ command: "/opt/notes/server" }));
    expect(hidden.message).toContain("Name the folder of that program under sandbox.read");
  });
});
