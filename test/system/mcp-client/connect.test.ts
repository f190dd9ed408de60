import { describe, expect, it } from "vitest";
import { forgetEra, knownEra } from "../../../src/mcp/client/session/connect/known-eras.ts";
import { call, failureOf, open, rawChild, startsFile, textOf, toyChild } from "../../kit/mcp/scene.ts";

/** A server that nothing is known of. */
const unknown = <Server extends Parameters<typeof knownEra>[0]>(server: Server): Server => {
  forgetEra(server);
  return server;
};

describe("the era of a server", () => {
  it("one that ends itself at an unknown request is started twice the first time, and once after that", async () => {
    const starts = startsFile();
    const server = unknown(rawChild("exit-on-unknown", { starts: starts.path }));
    const first = await open(server);
    expect(first.era).toBe("legacy");
    expect(starts.count()).toBe(2);
    expect(textOf(await call(first, "echo", { message: "hi" }))).toBe("hi");
    await first.close();
    expect((await open(server)).era).toBe("legacy");
    expect(starts.count()).toBe(3);
  });

  it("one that is silent at an unknown request is asked in the old way, on the same connection, and remembered", async () => {
    const starts = startsFile();
    const server = unknown(rawChild("silent", { starts: starts.path, connectTimeoutMs: 10_000 }));
    const session = await open(server);
    expect(session.era).toBe("legacy");
    expect(starts.count()).toBe(1);
    expect(textOf(await call(session, "seen"))).toContain("server/discover initialize");
    expect(knownEra(server)).toBe("legacy");
    const next = await open(server);
    expect(textOf(await call(next, "seen"))).not.toContain("server/discover");
  });

  it("one that refuses the question is asked in the old way, on the same connection", async () => {
    const starts = startsFile();
    const server = unknown(rawChild("", { starts: starts.path }));
    expect((await open(server)).era).toBe("legacy");
    expect(starts.count()).toBe(1);
  });

  it("a modern server that answers only when it is asked in the old way too is asked again", async () => {
    const starts = startsFile();
    const server = unknown(rawChild("modern,slow,banner", { starts: starts.path, connectTimeoutMs: 60_000 }));
    expect((await open(server)).era).toBe("modern");
    expect(starts.count()).toBe(2);
  });

  it.each(["modern", "modern,both", "modern,both,chatty"])(
    "a server (%s) that begins to read two seconds after its start is found to be modern, and is started once",
    async (habits) => {
      const starts = startsFile();
      const slow = rawChild(`${habits},starts-in-2000`, { starts: starts.path, connectTimeoutMs: 20_000 });
      expect((await open(unknown(slow))).era).toBe("modern");
      expect(starts.count()).toBe(1);
    },
  );

  it("a server of both eras that found both questions waiting is started once more, and spoken to in the new one", async () => {
    const starts = startsFile();
    const slow = rawChild("modern,both,banner,starts-in-3000", {
      starts: starts.path,
      connectTimeoutMs: 20_000,
    });
    const session = await open(unknown(slow));
    expect(session.era).toBe("modern");
    expect(textOf(await call(session, "echo", { message: "hi" }))).toBe("hi");
    expect(starts.count()).toBe(2);
  });

  it("one that has no time for that is used as it is, and is known the next time", async () => {
    const slow = rawChild("modern,both,banner,starts-in-5000", { connectTimeoutMs: 9_500 });
    expect((await open(unknown(slow))).era).toBe("legacy");
    expect(knownEra(slow)).toBe("modern");
    expect((await open({ ...slow, connectTimeoutMs: 20_000 })).era).toBe("modern");
  });

  it("an old server that is silent, but was heard, is not waited for much longer", async () => {
    const server = unknown(rawChild("silent,banner", { connectTimeoutMs: 600_000 }));
    expect((await open(server)).era).toBe("legacy");
  });

  it("a server that ends at its start is not connected in any way", async () => {
    const server = unknown({ command: process.execPath, args: ["-e", "process.exit(7)"] });
    const failure = await failureOf(open(server));
    expect(failure).toMatchObject({ code: "mcp_unreachable", failure: { ran: false } });
    expect(failure.message).toContain("ended with code 7");
    expect(knownEra(server)).toBeUndefined();
  });

  it("one that is forced is not asked", async () => {
    const session = await open(toyChild("both", { era: "legacy" }));
    expect(session.era).toBe("legacy");
    expect((await open(toyChild("both", { era: "modern" }))).era).toBe("modern");
  });

  it("a server that speaks a version nobody knows is refused", async () => {
    const failure = await failureOf(open(rawChild("future", { era: "legacy" })));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: false } });
  });

  it("a server that cannot speak the era that is forced is refused", async () => {
    const failure = await failureOf(open(rawChild("", { era: "modern" })));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: false } });
    expect(failure.message).toContain("no version of the protocol in common");
  });
});
