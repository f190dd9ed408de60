import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, type GatewayChild, gatewayChild, npmServer } from "./gateway-child.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const inspector = join(root, "test/system/node_modules/.bin/mcp-inspector");

let gateway: GatewayChild;
beforeAll(async () => {
  gateway = await gatewayChild({
    mcp: {
      servers: {
        // Its content is trusted, so no call of this test needs approval.
        everything: { ...npmServer("server-everything", "stdio"), terms: { "*": { trusted: true } } },
        memory: npmServer("server-memory"),
      },
    },
  });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
});

describe("tools of the gateway are listed and called by", () => {
  it.each(["legacy", "auto"] as const)("the MCP SDK client (%s)", async (mode) => {
    const client = new Client({ name: "foreign", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain("everything__echo");
    expect(names).toContain("memory__create_entities");
    const echoed = await client.callTool({ name: "everything__echo", arguments: { message: mode } });
    expect(echoed.content).toEqual([{ type: "text", text: `Echo: ${mode}` }]);
    expect(client.getProtocolEra()).toBe(mode === "auto" ? "modern" : "legacy");
    await client.close();
  });

  it("the MCP SDK client over stdio", async () => {
    const client = new Client({ name: "foreign", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cli, "serve", "--ledger", "memory", "--trust"],
      cwd: gateway.folder,
      stderr: "ignore",
    });
    await client.connect(transport);
    const { content } = await client.callTool({ name: "everything__echo", arguments: { message: "pipe" } });
    expect(content).toEqual([{ type: "text", text: "Echo: pipe" }]);
    await client.close();
  });

  it("the command line of the MCP inspector", async () => {
    const inspect = async (...words: readonly string[]) => {
      const options = ["--cli", "--transport", "http", "--server-url", gateway.url, ...words];
      const { stdout } = await run(process.execPath, [inspector, ...options], { timeout: 150_000 });
      return JSON.parse(stdout);
    };
    const { tools } = await inspect("--method", "tools/list");
    expect(tools.map(({ name }: { name: string }) => name)).toContain("everything__echo");
    const called = await inspect(
      ...["--method", "tools/call", "--tool-name", "everything__echo", "--tool-arg", "message=hi"],
    );
    expect(called.content).toEqual([{ type: "text", text: "Echo: hi" }]);
  });

  it("the AI SDK client", async () => {
    const client = await createMCPClient({ transport: { type: "http", url: gateway.url } });
    const tools = await client.tools();
    const result = await tools.everything__echo?.execute(
      { message: "hi" },
      { toolCallId: "1", messages: [], context: {} },
    );
    expect(result).toMatchObject({ content: [{ type: "text", text: "Echo: hi" }] });
    await client.close();
  });
});

it("the ledger has the calls of all clients under the full tool name", async () => {
  const { stdout } = await run(process.execPath, [cli, "log", "--json", "--tool", "everything/echo"], {
    cwd: gateway.folder,
    env: { ...process.env, HAFT_LEDGER: "" },
  });
  const rows = stdout
    .trim()
    .split("\n")
    .flatMap((line) => JSON.parse(line));
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(row).toMatchObject({ ending: "executed", agent: "mcp" });
});
