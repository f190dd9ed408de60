import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { connectionTypes, type GatewayConnection } from "../../kit/gateway-connections.ts";
import { bearer } from "../../kit/host-scene.ts";
import { isAlive } from "../../kit/is-alive.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { acceptServers } from "../kit/accept-servers.ts";
import { cli, type GatewayChild, gatewayChild } from "./gateway-child.ts";

const toy = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const changing = (file: string) => ({ command: process.execPath, args: [toy("changing-server.ts"), file] });
const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: "object" } });

const writeTools = (gateway: GatewayChild, name: string, ...tools: readonly string[]): string => {
  const file = join(gateway.folder, name);
  writeFileSync(file, JSON.stringify(tools.map(tool)));
  return file;
};

const connected = async ({ url }: GatewayChild, token?: string): Promise<Client> => {
  const client = new Client({ name: "test", version: "1" });
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
};
const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name).filter((name) => name !== "read_result");

describe("haft serve over HTTP", () => {
  it("reloads its configuration for connected clients, and ignores a broken file", async () => {
    await using gateway = await gatewayChild({ mcp: { lock: false } });
    const client = await connected(gateway);
    expect(await namesOf(client)).toEqual([]);
    const config = join(gateway.folder, "haft.config.json");
    const servers = { one: changing(writeTools(gateway, "one.json", "alpha")) };
    await acceptServers(gateway.folder, servers);
    writeFileSync(config, JSON.stringify({ mcp: { lock: false, servers } }));
    await waitFor(async () => expect(await namesOf(client)).toEqual(["one__alpha"]));
    writeFileSync(config, "{ broken");
    await waitFor(() => expect(gateway.errors()).toContain("stays active"));
    expect(await namesOf(client)).toEqual(["one__alpha"]);
    await client.close();
  });

  it("applies the configured limits to a connection", async () => {
    const token = "ada-token-0123456789";
    const auth = { tokens: [{ token: { secret: "ADA" }, principal: { agent: "ada", allow: ["*"] } }] };
    const http = { perMinute: 1, burst: 3, maxBodyBytes: 5 * 1024 * 1024 };
    await using gateway = await gatewayChild(
      { mcp: { lock: false }, credentials: { env: "TOKEN_" }, serve: { auth, http } },
      [],
      { TOKEN_ADA: token },
    );
    const port = Number(new URL(gateway.url).port);
    const connection = (await connectionTypes[2]!.open(
      { port },
      { headers: bearer(token) },
    )) as GatewayConnection;
    const tool = "read_result";
    expect((await connection.send({ tool, bytes: 4.5 * 1024 * 1024 })).status).toBe(200);
    expect((await connection.send({ tool })).status).toBe(200);
    expect((await connection.send({ tool })).status).toBe(429);
    expect((await connection.send({ tool, bytes: 5 * 1024 * 1024 + 1 })).status).toBe(413);
  });

  it("requires a token, offers each caller its own tools, and rejects revoked tokens", async () => {
    const auth = {
      tokens: [
        { token: { secret: "READER" }, principal: { agent: "reader", allow: ["one/alpha"] } },
        { token: { secret: "WRITER" }, principal: { agent: "writer", allow: ["one/*"] } },
      ],
    };
    const env = { TOKEN_READER: "reader-token-0123456789", TOKEN_WRITER: "writer-token-0123456789" };
    await using gateway = await gatewayChild(
      { mcp: { lock: false }, credentials: { env: "TOKEN_" }, serve: { auth } },
      [],
      env,
    );
    const config = join(gateway.folder, "haft.config.json");
    const servers = { one: changing(writeTools(gateway, "one.json", "alpha", "beta")) };
    await acceptServers(gateway.folder, servers);
    writeFileSync(
      config,
      JSON.stringify({ mcp: { lock: false, servers }, credentials: { env: "TOKEN_" }, serve: { auth } }),
    );
    await expect(connected(gateway)).rejects.toThrow();
    await expect(connected(gateway, "somebody-else-0123456789")).rejects.toThrow();
    const reader = await connected(gateway, env.TOKEN_READER);
    const writer = await connected(gateway, env.TOKEN_WRITER);
    await waitFor(async () => expect(await namesOf(writer)).toEqual(["one__alpha", "one__beta"]));
    expect(await namesOf(reader)).toEqual(["one__alpha"]);
    await expect(reader.callTool({ name: "one__beta", arguments: {} })).rejects.toThrow();
    const { content } = await writer.callTool({ name: "one__beta", arguments: {} });
    expect(content).toEqual([{ type: "text", text: "beta {}" }]);
    expect(gateway.errors()).not.toContain("token-0123456789");
    const [, onlyWriter] = auth.tokens;
    const taken = {
      mcp: { lock: false, servers },
      credentials: { env: "TOKEN_" },
      serve: { auth: { tokens: [onlyWriter] } },
    };
    writeFileSync(config, JSON.stringify(taken));
    await waitFor(() => expect(reader.listTools()).rejects.toThrow());
    expect(await namesOf(writer)).toEqual(["one__alpha", "one__beta"]);
    await Promise.all([reader.close(), writer.close()]);
  });

  it("refuses to listen on a public address without authentication", async () => {
    const failing = gatewayChild({}, ["--host", "0.0.0.0"]);
    await expect(failing).rejects.toThrow(/auth|token/i);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("ends with its servers on %s", async (signal) => {
    await using gateway = await gatewayChild({ mcp: { lock: false } });
    const pidFile = join(gateway.folder, "pid");
    const command = { command: process.execPath, args: [toy("pid-server.ts"), pidFile] };
    const config = join(gateway.folder, "haft.config.json");
    await acceptServers(gateway.folder, { one: command });
    writeFileSync(config, JSON.stringify({ mcp: { lock: false, servers: { one: command } } }));
    await waitFor(() => expect(existsSync(pidFile)).toBe(true));
    const pids = readFileSync(pidFile, "utf8").trim().split(" ").map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    gateway.child.kill(signal);
    const [code] = await once(gateway.child, "exit");
    expect(code).toBe(0);
    await waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]));
  });
});

describe("haft serve over stdio", () => {
  it("writes only the protocol to standard output, and ends with its input", async () => {
    const child = spawn(process.execPath, [cli, "serve", "--ledger", "memory"], {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
    });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
    });
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    await waitFor(() => expect(out).toContain('"serverInfo"'));
    child.stdin.end();
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    for (const line of out.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });
});

describe("WebSocket client", () => {
  it("is served under the same path with the same checks", async () => {
    const auth = { tokens: [{ token: { secret: "READER" }, principal: { agent: "reader", allow: ["*"] } }] };
    const config = {
      mcp: { lock: false },
      credentials: { env: "TOKEN_" },
      serve: { auth },
    };
    await using gateway = await gatewayChild(config, [], { TOKEN_READER: "reader-token-0123456789" });
    const url = gateway.url.replace("http:", "ws:");
    const sessionOptions = {
      reveal: async (value: unknown) => String(value),
      principal: undefined,
      connectTimeoutMs: 60_000,
      callTimeoutMs: 60_000,
    };
    const { openSession } = await import("../../../src/mcp/client/open-session.ts");
    await expect(openSession({ id: "gateway", url }, sessionOptions)).rejects.toMatchObject({
      code: "mcp_unreachable",
    });
    const headers = { Authorization: "Bearer reader-token-0123456789" };
    const session = await openSession({ id: "gateway", url, headers }, sessionOptions);
    expect(session).toMatchObject({ transport: "websocket", serverInfo: { name: "haft" } });
    expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["read_result"]);
    await session.close();
  });
});
