import { describe, expect, it } from "vitest";
import {
  callTestTool,
  openTestSession,
  rawServerConfig,
  rejectionOf,
  resultText,
} from "../../kit/mcp/mcp-session-scene.ts";

const modern = { era: "modern" } as const;

describe("result of a modern server", () => {
  it("keeps unknown properties", async () => {
    const session = await openTestSession(rawServerConfig("modern", modern));
    expect(await callTestTool(session, "unknown")).toEqual({
      strange: { kept: true },
      content: [{ type: "hologram", x: 1 }],
    });
  });

  it("has no resultType when it is complete", async () => {
    const session = await openTestSession(rawServerConfig("modern", modern));
    const result = await callTestTool(session, "echo", { message: "hi" });
    expect(resultText(result)).toBe("hi");
    expect(result).not.toHaveProperty("resultType");
  });

  it("is rejected with an unknown resultType", async () => {
    const session = await openTestSession(rawServerConfig("modern", modern));
    const failure = await rejectionOf(callTestTool(session, "mystery"));
    expect(failure).toMatchObject({ code: "mcp_protocol", failure: { ran: true } });
    expect(failure.message).toContain('"mystery"');
  });

  it("omits only the invalid tools of a list", async () => {
    const session = await openTestSession(rawServerConfig("modern", modern));
    const { tools, refused, ttlMs } = await session.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["task", "tool-1", "tool-2"]);
    expect(refused).toEqual([{ name: "(no name)", reason: "it has no name" }]);
    expect(ttlMs).toBe(5_000);
  });
});
