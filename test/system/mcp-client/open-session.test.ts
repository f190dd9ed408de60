import { describe, expect, it, vi } from "vitest";
import { rememberEra } from "../../../src/mcp/client/session/connect/connect-server.ts";
import type { McpServer } from "../../../src/types/mcp.ts";
import {
  callTestTool,
  firstNotification,
  onTestEnd,
  openTestSession,
  rejectionOf,
  resultText,
  toyServerConfig,
} from "../../kit/mcp/mcp-session-scene.ts";
import { startToyHttp, startToySessions, startToySocket } from "../../kit/mcp/toy-http.ts";

interface Kind {
  readonly name: string;
  readonly era: "legacy" | "modern";
  readonly server: () => Promise<McpServer>;
  /** Whether a server can send requests to the client: legacy servers without sessions cannot. */
  readonly canAsk: boolean;
}

const remote = async (
  toy: Promise<{ readonly url: string; readonly stop: () => Promise<void> }>,
  era?: "legacy",
): Promise<McpServer> => {
  const { url, stop } = await toy;
  onTestEnd(stop);
  return { url, ...(era === undefined ? {} : { era }) };
};

/** Raises the timeout, because a child may start slowly on a busy machine. */
const patient = (server: McpServer): McpServer => {
  rememberEra(server, "modern");
  return server;
};

const kinds: readonly Kind[] = [
  { name: "stdio", era: "modern", server: async () => patient(toyServerConfig("both")), canAsk: true },
  { name: "stdio", era: "legacy", server: async () => toyServerConfig("legacy"), canAsk: true },
  {
    name: "stdio of a modern server only",
    era: "modern",
    server: async () => patient(toyServerConfig("modern")),
    canAsk: true,
  },
  { name: "HTTP", era: "modern", server: () => remote(startToyHttp()), canAsk: true },
  { name: "HTTP", era: "legacy", server: () => remote(startToyHttp(), "legacy"), canAsk: false },
  { name: "HTTP with sessions", era: "legacy", server: () => remote(startToySessions()), canAsk: true },
  { name: "WebSocket", era: "modern", server: () => remote(startToySocket()), canAsk: true },
  { name: "WebSocket", era: "legacy", server: () => remote(startToySocket(), "legacy"), canAsk: true },
];

describe.each(kinds)("session over $name in the $era era", ({ era, server, canAsk }) => {
  it("connects, lists tools and calls them", async () => {
    const session = await openTestSession(await server());
    expect(session).toMatchObject({
      era,
      serverInfo: { name: "toy", version: "1.0.0" },
      instructions: "Play.",
    });
    expect(session.protocol).toBe(era === "modern" ? "2026-07-28" : "2025-11-25");
    const { tools } = await session.listTools();
    expect(tools.map(({ name }) => name).slice(0, 3)).toEqual(["echo", "slow", "ask"]);
    expect(resultText(await callTestTool(session, "echo", { message: "hi" }))).toBe("Echo: hi");
  });

  it("reports every progress update, including one sent with the reply", async () => {
    const session = await openTestSession(await server());
    const steps: unknown[] = [];
    const received: unknown[] = [];
    const caller = { progressed: (update: unknown) => received.push(update) };
    const onProgress = ({ progress }: Readonly<Record<string, unknown>>) => steps.push(progress);
    expect(resultText(await callTestTool(session, "slow", { ms: 1, steps: 3 }, { onProgress, caller }))).toBe(
      "done",
    );
    expect(steps).toEqual([1, 2, 3]);
    expect(received).toHaveLength(3);
  });

  it("fails a cancelled call at once, and stays connected", async () => {
    const session = await openTestSession(await server());
    const ender = new AbortController();
    const onProgress = () => ender.abort();
    const failure = await rejectionOf(
      callTestTool(session, "slow", { ms: 20, steps: 500 }, { signal: ender.signal, onProgress }),
    );
    expect(failure).toMatchObject({ code: "cancelled", failure: { ran: true } });
    expect(resultText(await callTestTool(session, "echo", { message: "on" }))).toBe("Echo: on");
  });

  it("fails a call after its deadline as timed out", async () => {
    const session = await openTestSession(await server());
    const failure = await rejectionOf(
      callTestTool(session, "slow", { ms: 60_000, steps: 1 }, { timeoutMs: 50 }),
    );
    expect(failure).toMatchObject({ code: "timed_out", name: "ToolTimeoutError", failure: { ran: true } });
    expect(failure.message).toContain('"toy"');
  });

  it.runIf(canAsk)("passes an elicitation to the caller, and its answer to the server", async () => {
    const session = await openTestSession(await server());
    const ask = vi.fn(async (requests: object) =>
      Object.fromEntries(
        Object.keys(requests).map((key) => [key, { action: "accept", content: { name: "Ada" } }]),
      ),
    );
    expect(resultText(await callTestTool(session, "ask", { question: "Who?" }, { caller: { ask } }))).toBe(
      "Hello Ada",
    );
    expect(ask.mock.calls[0]?.[0]).toMatchObject({
      [Object.keys(ask.mock.calls[0]?.[0] ?? {})[0] as string]: {
        method: "elicitation/create",
        params: { message: "Who?" },
      },
    });
  });

  it("keeps code, message and data of a server error", async () => {
    const session = await openTestSession(await server());
    const failure = await rejectionOf(session.request({ method: "nonsense/method" }));
    expect(failure).toMatchObject({
      code: "mcp_protocol",
      name: "MCPConnectionError",
      failure: { ran: true, claimsNotRun: true, cause: { code: -32_601, message: "Method not found" } },
    });
  });

  it("rejects requests after it was closed, and reports that once", async () => {
    const session = await openTestSession(await server());
    const reasons: unknown[] = [];
    session.onNews((news) => news.kind === "closed" && reasons.push(news.reason));
    const pending = rejectionOf(callTestTool(session, "slow", { ms: 60_000, steps: 1 }));
    await session.close();
    await session.close();
    expect(await pending).toMatchObject({ code: "mcp_unreachable", failure: { ran: true } });
    expect(await rejectionOf(callTestTool(session, "echo"))).toMatchObject({
      code: "mcp_unreachable",
      failure: { ran: false },
    });
    expect(reasons).toHaveLength(1);
  });
});

describe("session notifications", () => {
  it.each(["both", "legacy"] as const)("report a tool change of a %s server", async (era) => {
    const session = await openTestSession(toyServerConfig(era));
    const changed = firstNotification(session, ({ kind }) => kind === "tools-changed");
    await callTestTool(session, "grow");
    await changed;
    expect((await session.listTools()).tools.map(({ name }) => name)).toContain("late");
  });

  it("pass log messages of a call to its caller", async () => {
    const session = await openTestSession(toyServerConfig("legacy"));
    const logged = vi.fn();
    await callTestTool(session, "log", {}, { caller: { logged } });
    expect(logged).toHaveBeenCalledWith({ level: "info", data: "something happened" });
  });
});
