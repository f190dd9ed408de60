import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { StdioServer } from "../../../src/types/mcp.ts";
import {
  callTestTool,
  isAlive,
  onTestEnd,
  openTestSession,
  rejectionOf,
  resultText,
} from "../../kit/mcp/mcp-session-scene.ts";

const real = (name: string, ...args: string[]): StdioServer => ({
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args],
});

describe("server-everything", () => {
  it("connects, lists tools, calls them, reports progress and elicits an answer", async () => {
    const session = await openTestSession(real("server-everything"));
    expect(session).toMatchObject({ era: "legacy", transport: "stdio" });
    const ask = vi.fn(async (requests: object) =>
      Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "decline" }])),
    );
    const { tools } = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "get-sum"]));
    expect(resultText(await callTestTool(session, "echo", { message: "hi" }))).toBe("Echo: hi");
    const steps: unknown[] = [];
    const onProgress = ({ progress }: Readonly<Record<string, unknown>>) => steps.push(progress);
    await callTestTool(
      session,
      "trigger-long-running-operation",
      { duration: 0.1, steps: 2 },
      { onProgress },
    );
    expect(steps).toEqual([1, 2]);
    if (tools.some(({ name }) => name === "trigger-elicitation-request")) {
      await callTestTool(session, "trigger-elicitation-request", {}, { caller: { ask } });
      // It also requests roots some time after its start.
      const asked = ask.mock.calls.flatMap(([requests]) => Object.values(requests));
      expect(asked.filter(({ method }) => method === "elicitation/create")).toHaveLength(1);
    }
  });

  it("fails the call at once when the server is killed, and leaves no process", async () => {
    const session = await openTestSession(real("server-everything"));
    const pending = rejectionOf(
      callTestTool(session, "trigger-long-running-operation", { duration: 60, steps: 2 }),
    );
    process.kill(session.pid as number, "SIGKILL");
    expect(await pending).toMatchObject({ code: "mcp_unreachable", failure: { ran: true } });
    expect(isAlive(session.pid as number)).toBe(false);
  });

  it("cancels a long call", async () => {
    const session = await openTestSession(real("server-everything"));
    const ender = new AbortController();
    const input = { duration: 60, steps: 600 };
    const onProgress = () => ender.abort();
    const failure = await rejectionOf(
      callTestTool(session, "trigger-long-running-operation", input, { signal: ender.signal, onProgress }),
    );
    expect(failure).toMatchObject({ code: "cancelled" });
    expect(resultText(await callTestTool(session, "echo", { message: "on" }))).toBe("Echo: on");
  });
});

describe("server-filesystem", () => {
  it("reads a file of its allowed folder, and rejects others", async () => {
    const folder = mkdtempSync(join(tmpdir(), "haft-files-"));
    onTestEnd(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "note.txt"), "remember");
    const session = await openTestSession(real("server-filesystem", folder));
    const result = await callTestTool(session, "read_text_file", { path: join(folder, "note.txt") });
    expect(resultText(result)).toBe("remember");
    expect(await callTestTool(session, "read_text_file", { path: "/etc/hostname" })).toMatchObject({
      isError: true,
    });
  });
});
