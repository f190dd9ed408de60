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

/** A server that nothing is known of. */
const unknown = <Server extends Parameters<typeof findKnownEra>[0]>(server: Server): Server => {
  forgetEra(server);
  return server;
};

/** Stops the clock, so that a slow machine does not change what happens, and moves it once the child has started. */
const passAfterStart = async (starts: ReturnType<typeof startsFile>, ms: number): Promise<void> => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestEnd(() => vi.useRealTimers());
  await waitFor(() => expect(starts.count()).toBe(1));
  vi.setSystemTime(Date.now() + ms);
};

describe("the era of a server", () => {
  it("one that ends itself at an unknown request is started twice the first time, and once after that", async () => {
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

  it("one that is silent at an unknown request is asked in the old way, on the same connection, and remembered", async () => {
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

  it("one that refuses the question is asked in the old way, on the same connection", async () => {
    const starts = startsFile();
    const server = unknown(rawServerConfig("", { starts: starts.path }));
    expect((await openTestSession(server)).era).toBe("legacy");
    expect(starts.count()).toBe(1);
  });

  it("a modern server that answers only when it is asked in the old way too is asked again", async () => {
    const starts = startsFile();
    const server = unknown(
      rawServerConfig("modern,slow,banner", { starts: starts.path, connectTimeoutMs: 60_000 }),
    );
    expect((await openTestSession(server)).era).toBe("modern");
    expect(starts.count()).toBe(2);
  });

  it.each(["modern", "modern,both", "modern,both,chatty"])(
    "a server (%s) that begins to read two seconds after its start is found to be modern, and is started once",
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

  it("a server of both eras that found both questions waiting is started once more, and spoken to in the new one", async () => {
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

  it("one that has no time for that is used as it is, and is known the next time", async () => {
    const starts = startsFile();
    const slow = unknown(
      rawServerConfig("modern,both,banner,starts-in-5000", { starts: starts.path, connectTimeoutMs: 60_000 }),
    );
    const opening = openTestSession(slow);
    // More than half of its time, so a second connection may not be there in time.
    await passAfterStart(starts, 40_000);
    expect((await opening).era).toBe("legacy");
    expect(starts.count()).toBe(1);
    expect(findKnownEra(slow)).toBe("modern");
    expect((await openTestSession(slow)).era).toBe("modern");
  });

  it("an old server that is silent, but was heard, is not waited for much longer", async () => {
    const server = unknown(rawServerConfig("silent,banner", { connectTimeoutMs: 600_000 }));
    expect((await openTestSession(server)).era).toBe("legacy");
  });

  it("a server that ends at its start is not connected in any way", async () => {
    const server = unknown({ command: process.execPath, args: ["-e", "process.exit(7)"] });
    const failure = await rejectionOf(openTestSession(server));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(failure.message).toContain("ended with code 7");
    expect(findKnownEra(server)).toBeUndefined();
  });

  it("one that is forced is not asked", async () => {
    const session = await openTestSession(toyServerConfig("both", { era: "legacy" }));
    expect(session.era).toBe("legacy");
    expect((await openTestSession(toyServerConfig("both", { era: "modern" }))).era).toBe("modern");
  });

  it("a server that speaks a version nobody knows is refused", async () => {
    const failure = await rejectionOf(openTestSession(rawServerConfig("future", { era: "legacy" })));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: false } });
  });

  it("a server that cannot speak the era that is forced is refused", async () => {
    const failure = await rejectionOf(openTestSession(rawServerConfig("", { era: "modern" })));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: false } });
    expect(failure.message).toContain("no version of the protocol in common");
  });
});
