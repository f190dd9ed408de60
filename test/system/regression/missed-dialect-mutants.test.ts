import { Haft } from "haft";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["**"] };

/** A minimal MCP server that never answers one method. */
const hanging = (silent: string): string => `
  process.stdin.setEncoding("utf8");
  let rest = "";
  const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  process.stdin.on("data", (chunk) => {
    const lines = (rest + chunk).split("\\n");
    rest = lines.pop();
    for (const line of lines) {
      const { id, method } = JSON.parse(line);
      if (id === undefined || method === ${JSON.stringify(silent)}) continue;
      if (method === "initialize") {
        answer(id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "raw", version: "0" } });
      } else if (method === "tools/list") {
        answer(id, { tools: [{ name: "wait", inputSchema: { type: "object" } }] });
      } else process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }) + "\\n");
    }
  });`;

describe("mcp.requestTimeoutMs", () => {
  const server = (silent: string, more: object = {}) => ({
    id: "raw",
    command: process.execPath,
    args: ["-e", hanging(silent)],
    era: "legacy" as const,
    risk: "low" as const,
    ...more,
  });
  const configOf = (requestTimeoutMs: number) => ({
    mcp: { requestTimeoutMs, connectionTimeoutMs: 60_000, maxRetries: 0 },
  });

  it("limits a request to list tools", async () => {
    await using haft = await Haft.open({ principal, config: configOf(400), mcp: { lock: false } });
    const error = await haft.mcp.connect(server("tools/list")).catch((thrown: unknown) => thrown);
    expect(String((error as Error).message)).toContain("400 ms");
  });

  for (const sharing of ["shared", "principal"] as const) {
    it(`limits a call with a ${sharing} connection`, async () => {
      // The tool list has the same limit, and is answered.
      await using haft = await Haft.open({ principal, config: configOf(5_000), mcp: { lock: false } });
      await haft.mcp.connect(server("tools/call", { sharing }));
      const [reply] = await haft.turn([{ id: "1", tool: "raw/wait", input: "{}" }]);
      expect(reply?.failure?.code).toBe("timed_out");
      expect(reply?.failure?.message).toContain("5000 ms");
    });
  }
});
