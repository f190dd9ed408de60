import { describe, expect, it, vi } from "vitest";
import {
  callTestTool,
  openTestSession,
  rawServerConfig,
  rejectionOf,
  resultText,
} from "../../kit/mcp/mcp-session-scene.ts";
import { waitFor } from "../../kit/wait-for.ts";

describe("call that returns a task", () => {
  it("waits for the task of a modern server", async () => {
    const session = await openTestSession(rawServerConfig("modern", { era: "modern" }));
    expect(resultText(await callTestTool(session, "task"))).toBe("task done");
    const seen = resultText(await callTestTool(session, "seen")).split(" ");
    expect(seen.filter((method) => method === "tasks/get")).toHaveLength(3);
    expect(seen).not.toContain("tasks/cancel");
  });

  it("waits for the task of a legacy server whose tool requires a task", async () => {
    const session = await openTestSession(rawServerConfig("", { era: "legacy" }));
    expect((await session.listTools()).tools[0]?.name).toBe("task");
    expect(resultText(await callTestTool(session, "task"))).toBe("task done");
  });

  it("answers elicitations of the task", async () => {
    const session = await openTestSession(rawServerConfig("modern,asks", { era: "modern" }));
    const ask = vi.fn(async () => ({ sure: { action: "accept", content: {} } }));
    expect(resultText(await callTestTool(session, "task", {}, { caller: { ask } }))).toBe("task done");
    expect(ask).toHaveBeenCalledOnce();
  });

  it("reports progress, and cancels the task when it is cancelled", async () => {
    const session = await openTestSession(rawServerConfig("modern,endless", { era: "modern" }));
    const ender = new AbortController();
    const onProgress = vi.fn(() => ender.abort());
    const failure = await rejectionOf(
      callTestTool(session, "task", {}, { signal: ender.signal, onProgress }),
    );
    expect(failure).toMatchObject({ code: "cancelled", failure: { ran: true } });
    expect(onProgress).toHaveBeenCalledWith({ message: "still at it" });
    await waitFor(async () =>
      expect(resultText(await callTestTool(session, "seen")).includes("tasks/cancel")).toBeTruthy(),
    );
  });

  it("times out and cancels the task after its deadline", async () => {
    const session = await openTestSession(rawServerConfig("modern,endless", { era: "modern" }));
    const failure = await rejectionOf(callTestTool(session, "task", {}, { timeoutMs: 2_000 }));
    expect(failure).toMatchObject({ code: "timed_out", failure: { ran: true } });
    await waitFor(async () =>
      expect(resultText(await callTestTool(session, "seen")).includes("tasks/cancel")).toBeTruthy(),
    );
  });
});
