import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { cli, gatewayChild } from "../mcp/gateway-child.ts";

const run = promisify(execFile);
const server = fileURLToPath(new URL("../mcp/changing-server.ts", import.meta.url));

const place = mkdtempSync(join(tmpdir(), "haft-reload-"));
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 3 }));
const tools = join(place, "tools.json");
const inputSchema = { type: "object", properties: { order: { type: "integer" } } };
writeFileSync(tools, JSON.stringify([{ name: "refund", description: "Pays back", inputSchema }]));

/** Configuration with a tool that needs approval. */
const configOf = (name: string): object => {
  const terms = { refund: { requiresApproval: true } };
  const shop = { command: process.execPath, args: [server, tools], terms };
  return { mcp: { lock: false, servers: { shop } }, serve: { name } };
};
const writeConfig = (folder: string, name: string): void =>
  writeFileSync(join(folder, "haft.config.json"), JSON.stringify(configOf(name)));

const haft = async (folder: string, ...words: readonly string[]): Promise<string> => {
  const env = { ...process.env, HAFT_LEDGER: "", NO_COLOR: "1" };
  return (await run(process.execPath, [cli, ...words], { cwd: folder, env })).stdout;
};

/** Requests approval before the reload and answers after it: one request and one call. */
const story = async (client: Client, folder: string, errors: () => string): Promise<void> => {
  const refund = () => client.callTool({ name: "shop__refund", arguments: { order: 1 } });
  const asked = (await refund())._meta?.["haft/approval"] as { readonly id: string };
  writeConfig(folder, "another");
  await waitFor(() => expect(errors()).toContain("was read again"));
  expect((await refund())._meta?.["haft/approval"]).toMatchObject({ id: asked.id });
  await haft(folder, "approve", asked.id);
  expect((await refund()).content).toEqual([{ type: "text", text: 'refund {"order":1}' }]);
  const rows = (await haft(folder, "log", "--json", "--tool", "shop/refund")).trim().split("\n");
  expect(rows).toHaveLength(1);
  expect(await haft(folder, "approvals", "--json")).toBe("");
  await client.close();
};

const newClient = (): Client =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });

it("an open elicitation over HTTP is not repeated after a configuration reload", async () => {
  await using gateway = await gatewayChild(configOf("one"));
  const client = newClient();
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  await story(client, gateway.folder, gateway.errors);
});

it("an open elicitation over stdio is not repeated after a configuration reload", async () => {
  const folder = mkdtempSync(join(place, "stdio-"));
  writeConfig(folder, "one");
  const env = { ...process.env, HAFT_LEDGER: "", NO_COLOR: "1" } as Record<string, string>;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "serve"],
    cwd: folder,
    env,
    stderr: "pipe",
  });
  let errors = "";
  transport.stderr?.on("data", (text) => {
    errors += String(text);
  });
  const client = newClient();
  await client.connect(transport);
  await story(client, folder, () => errors);
});
