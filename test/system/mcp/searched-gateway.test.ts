import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { cli, type GatewayChild, gatewayChild } from "./gateway-child.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-searched-"));
const scene = pathToFileURL(join(import.meta.dirname, "../../gateway/sample-tools.ts")).href;
const tools = join(folder, "tools.ts");
writeFileSync(
  tools,
  `import { bookFlightTool, createFillerTools } from ${JSON.stringify(scene)};
export const tools = [...createFillerTools(1_999), bookFlightTool];`,
);

const config = { config: { registry: { maxTools: 5_000 } }, mcp: { truncateToFile: false, lock: false } };
const own = ["search_tools", "load_tools", "call_tool"];

let gateway: GatewayChild;
beforeAll(async () => {
  gateway = await gatewayChild(config, ["-t", tools, "--search"]);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const overHttp = (): Transport => new StreamableHTTPClientTransport(new URL(gateway.url));
const overPipe = (): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [cli, "serve", "--search", "-t", tools],
    cwd: gateway.folder,
    env: { ...(process.env as Record<string, string>), HAFT_LEDGER: "" },
    stderr: "ignore",
  });

const listed = async (client: Client) => {
  const { tools: list } = await client.listTools();
  return { names: list.map(({ name }) => name), bytes: JSON.stringify(list).length };
};

describe("MCP SDK client of a gateway with two thousand tools", () => {
  it.each([
    ["HTTP", "legacy", true, overHttp],
    ["HTTP", "modern", false, overHttp],
    ["standard input and output", "legacy", true, overPipe],
    ["standard input and output", "modern", true, overPipe],
  ] as const)("over %s in the %s era searches, loads and calls a tool", async (_, era, keeps, open) => {
    let changes = 0;
    const client = new Client(
      { name: "foreign", version: "1" },
      {
        versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes++ } },
      },
    );
    await client.connect(open());
    const first = await listed(client);
    expect(first.names).toEqual(own);
    expect(first.bytes).toBeLessThan(6_000);
    const found = await client.callTool({
      name: "search_tools",
      arguments: { query: "book a flight from Bergen to Oslo" },
    });
    const [best] = (found.structuredContent as { tools: readonly { name: string }[] }).tools;
    expect(best?.name).toBe("book_flight");
    await client.callTool({ name: "load_tools", arguments: { names: [best!.name] } });
    const input = { from: "Bergen", to: "Oslo" };
    if (keeps) {
      await waitFor(() => expect(changes).toBeGreaterThan(0));
      expect((await listed(client)).names).toEqual([...own, "book_flight"]);
      const booked = await client.callTool({ name: "book_flight", arguments: input });
      expect(booked.structuredContent).toEqual({ booking: "Bergen-Oslo-1" });
    } else {
      const booked = await client.callTool({
        name: "call_tool",
        arguments: { name: "book_flight", arguments: input },
      });
      expect(booked.structuredContent).toEqual({ booking: "Bergen-Oslo-1" });
    }
    await client.close();
  });

  it("has an entry per call in the ledger, under the full tool name", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [cli, "log", "--json"], {
      cwd: gateway.folder,
      env: { ...process.env, HAFT_LEDGER: "" },
    });
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const counted = Object.groupBy(rows, ({ tool }) => tool);
    const counts = Object.entries(counted).map(([name, all]) => [name, all?.length]);
    expect(Object.fromEntries(counts)).toEqual({ search_tools: 4, load_tools: 4, book_flight: 4 });
    for (const row of rows) expect(row).toMatchObject({ ending: "executed", agent: "mcp" });
  });
});

it("a changed configuration switches tool search, its pinned tools, and access to loaded tools", async () => {
  await using changing = await gatewayChild({ ...config, serve: { search: { above: 1_000 } } }, [
    "-t",
    tools,
  ]);
  const edit = (more: object): void =>
    writeFileSync(join(changing.folder, "haft.config.json"), JSON.stringify({ ...config, ...more }));
  const client = new Client({ name: "foreign", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(changing.url)));
  const becomes = (names: readonly string[]) =>
    waitFor(async () => expect((await listed(client)).names).toEqual(names));
  // Built-in tools are listed too.
  const becomesAll = () =>
    waitFor(async () => expect((await listed(client)).names.length).toBeGreaterThan(1_999));
  await client.callTool({ name: "load_tools", arguments: { names: ["book_flight", "list_invoice_0"] } });
  await becomes([...own, "book_flight", "list_invoice_0"]);
  const rules = [{ effect: "allow", tools: ["list_*", "read_*"] }];
  edit({ policy: { rules }, serve: { search: { always: ["read_recipe_1"] } } });
  await becomes(["read_recipe_1", ...own, "list_invoice_0"]);
  await expect(client.callTool({ name: "book_flight", arguments: {} })).rejects.toThrow("Unknown tool");
  edit({ serve: { search: { above: 10_000 } } });
  await becomesAll();
  edit({ serve: { search: true } });
  await becomes([...own, "book_flight", "list_invoice_0"]);
  edit({});
  await becomesAll();
  await client.close();
});
