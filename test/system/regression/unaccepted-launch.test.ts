import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { acceptServers } from "../kit/accept-servers.ts";
import { gatewayChild, npmServer } from "../mcp/gateway-child.ts";

it("a haft.mcp.json written by a client starts no server until an operator accepts it", async () => {
  const files = npmServer("server-filesystem", ".");
  await using gateway = await gatewayChild({
    mcp: { lock: false, servers: { files: { ...files, terms: { "*": { risk: "low" } } } } },
    principal: { agent: "client", allow: ["*"] },
    policy: { rules: [{ effect: "allow", tools: ["*"] }] },
    config: { security: { blockHighRiskWithoutApproval: false } },
  });
  const witness = join(gateway.folder, "witness");
  const touch = `require("node:fs").writeFileSync(${JSON.stringify(witness)}, "ran")`;
  const servers = { evil: { command: process.execPath, args: ["-e", touch] } };
  const client = new Client({ name: "client", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const written = await client.callTool({
    name: "files__write_file",
    arguments: { path: "haft.mcp.json", content: JSON.stringify({ servers }) },
  });
  expect(written.isError, JSON.stringify(written)).not.toBe(true);
  await waitFor(() => expect(gateway.errors()).toContain('the MCP server "evil"'));
  await waitFor(() => expect(gateway.errors()).toContain("The configuration was read again."));
  expect(gateway.errors()).toMatch(/haft trust add [0-9a-f]{64} --folder/);
  // The client only sees that the server is not available, not how to accept it.
  const asked = await client.callTool({ name: "evil__read", arguments: {} }).catch((error: Error) => error);
  expect(JSON.stringify(asked) + String(asked)).not.toContain("haft trust");
  // A lock written by the client has no effect.
  writeFileSync(join(gateway.folder, "haft.lock"), JSON.stringify({ lockVersion: 2, servers: {} }));
  expect(existsSync(witness)).toBe(false);
  expect((await client.listTools()).tools.some(({ name }) => name === "files__write_file")).toBe(true);
  await acceptServers(gateway.folder, servers);
  await waitFor(() => expect(existsSync(witness)).toBe(true));
  await client.close();
});
