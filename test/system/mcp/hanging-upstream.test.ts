import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { listingServer } from "../kit/mcp/gateway-scene.ts";
import { cli } from "./gateway-child.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-hanging-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts and never answers. */
const hanging = {
  command: process.execPath,
  args: ["-e", "process.stdin.resume()"],
  // Longer than any wait below.
  connectTimeoutMs: 600_000,
};
const good = listingServer({
  tools: [{ name: "good", description: "Works.", inputSchema: { type: "object" } }],
});

const configure = (config: object): void =>
  writeFileSync(join(folder, "haft.config.json"), JSON.stringify(config));

const connected = async (): Promise<Client> => {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "serve"],
    cwd: folder,
    env: { ...(process.env as Record<string, string>), HAFT_LEDGER: "" },
    stderr: "ignore",
  });
  await client.connect(transport);
  return client;
};

describe("server that hangs at its start", () => {
  it("delays the tool list of the gateway by waitMs at most, and no call of another server", async () => {
    configure({ mcp: { lock: false, waitMs: 3_000, servers: { hanging, good } } });
    const client = await connected();
    // A busy machine may take longer than waitMs to start the good server.
    await waitFor(async () => {
      const result = await client.callTool({ name: "good__good", arguments: {} });
      expect(result.isError, JSON.stringify(result)).not.toBe(true);
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("good__good");
    await client.close();
  });

  it("delays nothing with a waitMs of 0", async () => {
    configure({ mcp: { lock: false, waitMs: 0, servers: { hanging } } });
    const client = await connected();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read_result"]);
    await client.close();
  });

  it("does not delay the listening event, which comes before the serving event", async () => {
    configure({ mcp: { lock: false, waitMs: 2_000, servers: { hanging } } });
    const child = spawn(process.execPath, [cli, "serve", "--http", "--port", "0", "--json"], {
      cwd: folder,
      env: { ...process.env, HAFT_LEDGER: "" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const lines: string[] = [];
    await new Promise<void>((resolve) => {
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        lines.splice(0, lines.length, ...said.split("\n").slice(0, -1));
        if (lines.some((line) => line.includes('"serving"'))) resolve();
      });
    });
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    const events = lines.map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ event: "listening", url: expect.any(String), starting: ["hanging"] });
    expect(events[1]).toMatchObject({
      event: "serving",
      servers: [{ id: "hanging", status: "connecting" }],
    });
  });
});
