import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cli, type GatewayChild, gatewayChild } from "./gateway-child.ts";

const run = promisify(execFile);
const server = fileURLToPath(new URL("changing-server.ts", import.meta.url));

let gateway: GatewayChild;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "haft-approvals-"));
  const file = join(folder, "tools.json");
  const schema = { type: "object", properties: { order: { type: "integer" } } };
  writeFileSync(file, JSON.stringify([{ name: "refund", description: "Pays back", inputSchema: schema }]));
  const shop = {
    command: process.execPath,
    args: [server, file],
    terms: { refund: { requiresApproval: true } },
  };
  gateway = await gatewayChild({ serve: { approvals: "client" }, mcp: { lock: false, servers: { shop } } });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const haft = async (...words: readonly string[]): Promise<string> => {
  const env = { ...process.env, HAFT_LEDGER: "", NO_COLOR: "1" };
  return (await run(process.execPath, [cli, ...words], { cwd: gateway.folder, env })).stdout;
};
const rows = async (ending: string) =>
  (await haft("log", "--json", "--tool", "shop/refund", "--limit", "100"))
    .split("\n")
    .filter((line) => line.includes(`"ending":"${ending}"`)).length;

const connected = async (mode: "legacy" | "auto", answer?: "accept" | "decline") => {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  const asked: string[] = [];
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return answer === "accept" ? { action: "accept", content: { approve: true } } : { action: "decline" };
    });
  }
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  return { client, asked };
};
const refund = (client: Client, order: number) =>
  client.callTool({ name: "shop__refund", arguments: { order } });

it.each([
  ["legacy", 1],
  ["auto", 2],
] as const)(
  "a client that supports elicitation approves a call, which runs once (%s)",
  async (mode, order) => {
    const before = await rows("executed");
    const { client, asked } = await connected(mode, "accept");
    const { content } = await refund(client, order);
    expect(content).toEqual([{ type: "text", text: `refund {"order":${order}}` }]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("shop/refund");
    expect(await rows("executed")).toBe(before + 1);
    await client.close();
  },
);

it("a declined elicitation denies the call", async () => {
  const before = await rows("executed");
  const { client } = await connected("auto", "decline");
  expect(await refund(client, 3)).toMatchObject({ isError: true });
  expect(await rows("executed")).toBe(before);
  await client.close();
});

it("a client without elicitation gets the approval id, and the result when it repeats the call after haft approve", async () => {
  const before = await rows("executed");
  const { client } = await connected("legacy");
  const first = await refund(client, 4);
  expect(first).toMatchObject({ isError: true, _meta: { "haft/approval": { id: expect.any(String) } } });
  const { id } = first._meta!["haft/approval"] as { readonly id: string };
  const second = await refund(client, 4);
  expect(second._meta?.["haft/approval"]).toMatchObject({ id });
  await haft("approve", id);
  const third = await refund(client, 4);
  expect(third.content).toEqual([{ type: "text", text: 'refund {"order":4}' }]);
  expect(await rows("executed")).toBe(before + 1);
  await client.close();
});
