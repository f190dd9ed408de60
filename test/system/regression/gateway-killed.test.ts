import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { start } from "../cli/start.ts";
import { type GatewayChild, gatewayChild } from "../mcp/gateway-child.ts";

/** Pays at once, and answers only while the file `hold` does not exist. */
const server = `
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";
const [folder] = process.argv.slice(2);
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
const tools = [{ name: "refund", inputSchema: { type: "object", properties: { order: { type: "string" } } } }];
const methods = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "pay", version: "1" } }),
  "tools/list": () => ({ tools }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method !== "tools/call") return answer(id, methods[method]?.() ?? {});
  appendFileSync(folder + "/payments", params.arguments.order + "\\n");
  if (!existsSync(folder + "/hold")) answer(id, { content: [{ type: "text", text: "paid" }] });
});
`;

const openShop = () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-gateway-killed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  writeFileSync(join(folder, "server.mjs"), server);
  const pay = {
    command: process.execPath,
    args: [join(folder, "server.mjs"), folder],
    terms: { "*": { trusted: true } },
  };
  const config = {
    mcp: { lock: false, servers: { pay } },
    principal: { agent: "desk", user: "ada", allow: ["*"] },
  };
  const ledger = `sqlite:${join(folder, "ledger.db")}`;
  const payments = (): string =>
    existsSync(join(folder, "payments")) ? readFileSync(join(folder, "payments"), "utf8") : "";
  const hold = (isHeld: boolean): void => {
    if (isHeld) appendFileSync(join(folder, "hold"), "");
    else rmSync(join(folder, "hold"));
  };
  const run = async (...words: string[]) =>
    (await start([...words, "--ledger", ledger], { cwd: folder }).ended).out;
  return { payments, hold, run, open: () => gatewayChild(config, [], { HAFT_LEDGER: ledger }) };
};

const connect = async ({ url }: GatewayChild): Promise<Client> => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
};
const refund = { name: "pay__refund", arguments: { order: "7" } };

it("a call that was running when its gateway was killed requires approval when it is repeated", async () => {
  const { payments, hold, run, open } = openShop();
  hold(true);
  const first = await open();
  const lost = (await connect(first)).callTool(refund).catch(() => {});
  await waitFor(() => expect(payments()).toBe("7\n"));
  first.child.kill("SIGKILL");
  await first[Symbol.asyncDispose]();
  await lost;
  hold(false);

  await using second = await open();
  const client = await connect(second);
  const repeated = await client.callTool(refund);
  expect(repeated.isError).toBe(true);
  expect(JSON.stringify(repeated.content)).toContain("approval");
  expect(payments()).toBe("7\n");
  const [entry] = (await run("log", "--ending", "unknown", "--json"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(entry).toMatchObject({ tool: "pay/refund", ending: "unknown" });

  expect(await run("approvals", "--json")).toContain(`haft settle ${entry.entryId}`);
  await run("settle", entry.entryId, "--took-effect", "--by", "grace");
  expect(await run("approvals", "--json")).toContain(`took effect: ${entry.entryId}, settled by grace`);
});
