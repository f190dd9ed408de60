import { describe, expect, it, vi } from "vitest";
import { findKnownEra, forgetEra } from "../../../src/mcp/client/session/connect/connect-server.ts";
import {
  callTestTool,
  onTestEnd,
  openTestSession,
  rawServerConfig,
  rejectionOf,
  resultText,
  startsFile,
  toyServerConfig,
} from "../../kit/mcp/mcp-session-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";

/** Clears the known era of a server. */
const unknown = <Server extends Parameters<typeof findKnownEra>[0]>(server: Server): Server => {
  forgetEra(server);
  return server;
};

/**
 * Advances the stopped clock after the child has started, so that a slow machine does not change the result.
 */
const passAfterStart = async (starts: ReturnType<typeof startsFile>, ms: number): Promise<void> => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestEnd(() => vi.useRealTimers());
  await waitFor(() => expect(starts.count()).toBe(1));
  vi.setSystemTime(Date.now() + ms);
};

describe("protocol era detection", () => {
  it("starts a server that exits at an unknown request twice, and once at the next connection", async () => {
    const starts = startsFile();
    const server = unknown(rawServerConfig("exit-on-unknown", { starts: starts.path }));
    const first = await openTestSession(server);
    expect(first.era).toBe("legacy");
    expect(starts.count()).toBe(2);
    expect(resultText(await callTestTool(first, "echo", { message: "hi" }))).toBe("hi");
    await first.close();
    expect((await openTestSession(server)).era).toBe("legacy");
    expect(starts.count()).toBe(3);
  });

  it("falls back to legacy on the same connection when a server is silent, and remembers it", async () => {
    const starts = startsFile();
    const server = unknown(rawServerConfig("silent", { starts: starts.path, connectTimeoutMs: 60_000 }));
    const opening = openTestSession(server);
    await passAfterStart(starts, 36_000);
    const session = await opening;
    expect(session.era).toBe("legacy");
    expect(starts.count()).toBe(1);
    expect(resultText(await callTestTool(session, "seen"))).toContain("server/discover initialize");
    expect(findKnownEra(server)).toBe("legacy");
    const next = await openTestSession(server);
    expect(resultText(await callTestTool(next, "seen"))).not.toContain("server/discover");
  });

  it("falls back to legacy on the same connection when a server rejects the discovery", async () => {
    const starts = startsFile();
    const server = unknown(rawServerConfig("", { starts: starts.path }));
    expect((await openTestSession(server)).era).toBe("legacy");
    expect(starts.count()).toBe(1);
  });

  it("repeats the discovery when a modern server answers only after the legacy request", async () => {
    const starts = startsFile();
    const server = unknown(
      rawServerConfig("modern,slow,banner", { starts: starts.path, connectTimeoutMs: 60_000 }),
    );
    expect((await openTestSession(server)).era).toBe("modern");
    expect(starts.count()).toBe(2);
  });

  it.each(["modern", "modern,both", "modern,both,chatty"])(
    "starts a server (%s) that reads only after two seconds once, and finds it modern",
    async (habits) => {
      const starts = startsFile();
      const slow = rawServerConfig(`${habits},starts-in-2000`, {
        starts: starts.path,
        connectTimeoutMs: 60_000,
      });
      const opening = openTestSession(unknown(slow));
      await passAfterStart(starts, 2_000);
      expect((await opening).era).toBe("modern");
      expect(starts.count()).toBe(1);
    },
  );

  it("restarts a server of both eras that answered the legacy request, and uses the modern era", async () => {
    const starts = startsFile();
    const slow = rawServerConfig("modern,both,banner,starts-in-5000", {
      starts: starts.path,
      connectTimeoutMs: 60_000,
    });
    const session = await openTestSession(unknown(slow));
    expect(session.era).toBe("modern");
    expect(resultText(await callTestTool(session, "echo", { message: "hi" }))).toBe("hi");
    expect(starts.count()).toBe(2);
  });

  it("uses the legacy connection when there is no time for a second one, and the modern era the next time", async () => {
    const starts = startsFile();
    const slow = unknown(
      rawServerConfig("modern,both,banner,starts-in-5000", { starts: starts.path, connectTimeoutMs: 60_000 }),
    );
    const opening = openTestSession(slow);
    // More than half of the timeout, so a second connection may not be ready in time.
    await passAfterStart(starts, 40_000);
    expect((await opening).era).toBe("legacy");
    expect(starts.count()).toBe(1);
    expect(findKnownEra(slow)).toBe("modern");
    expect((await openTestSession(slow)).era).toBe("modern");
  });

  it("does not wait for the timeout when a silent legacy server has printed output", async () => {
    const server = unknown(rawServerConfig("silent,banner", { connectTimeoutMs: 600_000 }));
    expect((await openTestSession(server)).era).toBe("legacy");
  });

  it("reports a server that exits at its start as unreachable", async () => {
    const server = unknown({ command: process.execPath, args: ["-e", "process.exit(7)"] });
    const failure = await rejectionOf(openTestSession(server));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(failure.message).toContain("ended with code 7");
    expect(findKnownEra(server)).toBeUndefined();
  });

  it("is skipped when the era is configured", async () => {
    const session = await openTestSession(toyServerConfig("both", { era: "legacy" }));
    expect(session.era).toBe("legacy");
    expect((await openTestSession(toyServerConfig("both", { era: "modern" }))).era).toBe("modern");
  });

  it("rejects a server with an unknown protocol version", async () => {
    const failure = await rejectionOf(openTestSession(rawServerConfig("future", { era: "legacy" })));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: false } });
  });

  it("rejects a server that does not support the configured era", async () => {
    const failure = await rejectionOf(openTestSession(rawServerConfig("", { era: "modern" })));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: false } });
    expect(failure.message).toContain("no common protocol version");
  });
});
