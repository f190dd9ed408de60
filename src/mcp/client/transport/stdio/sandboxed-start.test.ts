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

describe("createSandboxedStart", () => {
  it("rejects with installation advice when the sandbox is unavailable", async () => {
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

  it("passes secrets only in the environment and sets its own home folder", async () => {
    const { command, args, env } = await startOf({ args: ["-c", "true"] });
    expect([command, args.slice(-3)]).toEqual(["/usr/bin/bwrap", ["/bin/sh", "-c", "true"]]);
    expect(args.join(" ")).not.toContain("s3cret");
    expect(env).toEqual(expect.objectContaining({ TOKEN: "s3cret", HOME: "/tmp" }));
    expect(env).not.toHaveProperty("LD_PRELOAD");
    expect(args.join(" ")).toContain("--setenv LD_PRELOAD /x.so");
    expect((await startOf({ inheritEnv: ["HOME"] })).env).toMatchObject({ HOME: "/home/ada" });
  });

  it("gives no network and no folders unless the configuration names them", async () => {
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

  it("rejects invalid paths and commands outside the visible folders", async () => {
    expect((await rejectionOf(startOf({}, { read: ["/"] }))).message).toContain(
      "list only the folders that are needed",
    );
    expect((await rejectionOf(startOf({}, { write: ["notes"] }))).message).toContain("not an absolute path");
    const hidden = await rejectionOf(startOf({ command: "/opt/notes/server" }));
    expect(hidden.message).toContain("Add the folder of that program to sandbox.read");
  });
});
