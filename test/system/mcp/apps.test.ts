import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readServer } from "../../../src/mcp/client/read-server.ts";
import { lockServer } from "../../../src/mcp/lock/lock-server.ts";
import { readLock } from "../../../src/mcp/lock/read-lock.ts";
import { hashPage } from "../../../src/mcp/lock/read-page-hashes.ts";
import { writeLock } from "../../../src/mcp/lock/write-lock.ts";
import type { RemoteTool, StdioServer } from "../../../src/types/mcp.ts";
import {
  clientRoutes,
  openConnectionGateway,
  openHttpGateway,
  sdkClient,
} from "../../kit/gateway-clients.ts";
import { closeAfterTest, listingServer, serveRuntime } from "../kit/mcp/gateway-scene.ts";
import { cli } from "./gateway-child.ts";

const extension = "io.modelcontextprotocol/ui";
const showsApps = { extensions: { [extension]: { mimeTypes: ["text/html;profile=mcp-app"] } } };
const uri = "ui://weather/forecast.html";
const page = (text: string, of = uri) => ({
  contents: [
    { uri: of, mimeType: "text/html;profile=mcp-app", text, _meta: { ui: { csp: { connectDomains: [] } } } },
  ],
});
const icons = [{ src: "data:image/png;base64,AA==", mimeType: "image/png", sizes: ["48x48"] }];
const forecast: RemoteTool = {
  name: "forecast",
  description: "Shows the weather.",
  inputSchema: { type: "object" },
  icons,
  execution: { taskSupport: "required" },
  _meta: { ui: { resourceUri: uri, visibility: ["model", "app"] }, "example.com/own": { a: 1 }, "haft/x": 1 },
};
const refresh: RemoteTool = {
  name: "refresh",
  description: "Asks again.",
  inputSchema: { type: "object" },
  _meta: { ui: { visibility: ["app"] } },
};
const weather = (text = "<p>Sun</p>", tools: readonly RemoteTool[] = [forecast, refresh]): StdioServer =>
  listingServer({
    tools,
    pages: { [uri]: page(text) },
    results: { forecast: { content: [{ type: "text", text: "sun" }], _meta: { ui: { seed: 3 } } } },
  });
const textOf = (result: { readonly contents: readonly unknown[] }): unknown =>
  (result.contents[0] as { readonly text?: unknown }).text;

describe("app behind the gateway", () => {
  it.each(clientRoutes)(
    "is passed unchanged to a client of the $era era over $over",
    async ({ era, open }) => {
      // With the default, the page would taint the calls that follow.
      const { served } = await serveRuntime({ weather: weather() }, false, "others");
      const client = await closeAfterTest(open(served)).connect(sdkClient(era, showsApps));
      expect(client.getServerCapabilities()?.extensions).toHaveProperty([extension]);
      const { tools } = await client.listTools();
      const found = tools.find(({ name }) => name === "weather__forecast");
      // Metadata that the lock does not cover is removed.
      expect(found?._meta).toEqual({ ui: { resourceUri: uri, visibility: ["model", "app"] } });
      expect(found).not.toHaveProperty("icons");
      // The gateway waits for tasks itself, so clients need no task support.
      if (era === "legacy") expect(found).toMatchObject({ execution: { taskSupport: "optional" } });
      expect(tools.map(({ name }) => name)).toContain("weather__refresh");
      expect(await client.readResource({ uri })).toMatchObject(page("<p>Sun</p>"));
      expect(await client.callTool({ name: "weather__forecast", arguments: {} })).toMatchObject({
        _meta: { ui: { seed: 3 } },
      });
      expect(await client.callTool({ name: "weather__refresh", arguments: {} })).toMatchObject({
        content: [{}],
      });
      await client.close();
    },
  );

  it("hides tools for its page from models and from clients without app support", async () => {
    const { haft, served } = await serveRuntime({ weather: weather() });
    expect(haft.offer({ format: "openai" }).tools).toHaveLength(1);
    const client = await closeAfterTest(openConnectionGateway(served)).connect(sdkClient("legacy"));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["weather__forecast"]);
    await client.close();
  });

  it("is announced to its server as supported", async () => {
    const { haft } = await serveRuntime({ weather: weather() });
    const replies = await haft.turn([{ id: "1", tool: "weather/refresh", input: {} }]);
    expect(JSON.stringify(replies)).toContain(extension);
  });

  it("keeps its page when another server uses the same URI", async () => {
    const thief = listingServer({
      tools: [{ ...refresh, name: "steal", _meta: { "ui/resourceUri": uri } }],
      pages: { [uri]: page("<p>Thief</p>"), "ui://other": page("other") },
    });
    const shadow = listingServer({ pages: { [uri]: page("<p>Shadow</p>") } });
    const { served } = await serveRuntime({ a: shadow, weather: weather(), z: thief });
    const client = await closeAfterTest(openHttpGateway(served)).connect(sdkClient("legacy", showsApps));
    const { tools } = await client.listTools();
    const addressOf = (name: string) =>
      String((tools.find((tool) => tool.name === name)?._meta?.ui as { resourceUri?: unknown })?.resourceUri);
    expect(addressOf("weather__forecast")).toBe(uri);
    expect(textOf(await client.readResource({ uri }))).toBe("<p>Sun</p>");
    const other = addressOf("z__steal");
    expect(other).toMatch(/^ui:\/\/haft\/z\//);
    const read = await client.readResource({ uri: other });
    expect(textOf(read)).toBe("<p>Thief</p>");
    expect(read.contents[0]?.uri).toBe(other);
    const { resources } = await client.listResources();
    expect(resources.map((each) => each.uri)).toEqual([
      expect.stringMatching(/^ui:\/\/haft\/a\//),
      uri,
      other,
      "ui://other",
    ]);
    await client.close();
  });
});

describe("app in the lock", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "haft-apps-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const locked = (
    version: 1 | 2,
    tools: readonly RemoteTool[],
    of: StdioServer,
    pages: ReadonlyMap<string, string> = new Map(),
  ): string => {
    const file = join(folder, "haft.lock");
    const servers = { weather: lockServer(readServer("weather", of), undefined, tools, new Map(), pages) };
    writeFileSync(file, writeLock({ lockVersion: version, servers }));
    return file;
  };
  const hash = (text: string): string => hashPage(page(text)) as string;

  it("is served as reviewed, with its tool metadata and page", async () => {
    const file = locked(2, [forecast, refresh], weather(), new Map([["forecast", hash("<p>Sun</p>")]]));
    const lock = readLock(readFileSync(file, "utf8"));
    expect(lock.servers.weather?.tools.forecast).toMatchObject({
      ui: { resourceUri: uri, visibility: ["model", "app"] },
      uiHash: hash("<p>Sun</p>"),
    });
    const { haft, served } = await serveRuntime({ weather: weather() }, file);
    expect(haft.mcp.list()[0]).toMatchObject({ status: "connected", quarantined: [] });
    const client = await closeAfterTest(openConnectionGateway(served)).connect(
      sdkClient("legacy", showsApps),
    );
    expect(textOf(await client.readResource({ uri }))).toBe("<p>Sun</p>");
    await client.close();
  });

  it("is locked by haft lock with the hash of its page, and passes haft lock --check", async () => {
    const run = (text: string, ...words: readonly string[]) => {
      const config = { mcp: { servers: { weather: weather(text) } } };
      writeFileSync(join(folder, "haft.config.json"), JSON.stringify(config));
      const env = { ...process.env, NO_COLOR: "1", HAFT_LEDGER: "" };
      return spawnSync(process.execPath, [cli, "lock", ...words], { cwd: folder, env, encoding: "utf8" });
    };
    expect(run("<p>Sun</p>", "--yes").status).toBe(0);
    const { lockVersion, servers } = readLock(readFileSync(join(folder, "haft.lock"), "utf8"));
    expect(lockVersion).toBe(2);
    expect(servers.weather?.tools.forecast).toMatchObject({
      ui: { resourceUri: uri },
      uiHash: hash("<p>Sun</p>"),
    });
    expect(run("<p>Sun</p>", "--check").status).toBe(0);
  });

  it("is quarantined when its page differs from the reviewed one", async () => {
    const file = locked(2, [forecast, refresh], weather(), new Map([["forecast", hash("<p>Rain</p>")]]));
    const { served } = await serveRuntime({ weather: weather() }, file);
    const client = await closeAfterTest(openConnectionGateway(served)).connect(
      sdkClient("legacy", showsApps),
    );
    await expect(client.readResource({ uri })).rejects.toThrow("The page of this app is quarantined");
    await client.close();
  });

  it("is quarantined when its page was not reviewed", async () => {
    const { served } = await serveRuntime({ weather: weather() }, locked(2, [forecast, refresh], weather()));
    const client = await closeAfterTest(openConnectionGateway(served)).connect(
      sdkClient("legacy", showsApps),
    );
    await expect(client.readResource({ uri })).rejects.toThrow("The page of this app is quarantined");
    await client.close();
  });

  it("quarantines its tool when the reviewed metadata changed, and ignores other metadata", async () => {
    const own = { ...forecast, _meta: { ...forecast._meta, "example.com/own": "other" } };
    const server = weather();
    const { haft } = await serveRuntime({ weather: server }, locked(2, [own, refresh], server));
    expect(haft.mcp.list()[0]?.quarantined).toEqual([]);
    const moved = { ...forecast, _meta: { ui: { resourceUri: "ui://weather/other.html" } } };
    const next = await serveRuntime({ weather: server }, locked(2, [moved, refresh], server));
    expect(next.haft.mcp.list()[0]?.quarantined).toEqual([
      { tool: "weather/forecast", reason: expect.stringContaining("changed since it was reviewed: /ui") },
    ]);
  });

  it("is omitted with a lock of version 1, while its tool can be used", async () => {
    const plain = { ...forecast, _meta: {} };
    const server = weather("<p>Sun</p>", [forecast]);
    const { haft, served } = await serveRuntime({ weather: server }, locked(1, [plain], server));
    expect(haft.mcp.list()[0]).toMatchObject({ status: "connected", tools: ["weather/forecast"] });
    const client = await closeAfterTest(openConnectionGateway(served)).connect(
      sdkClient("legacy", showsApps),
    );
    const { tools } = await client.listTools();
    expect(tools[0]).not.toHaveProperty("_meta");
    await expect(client.readResource({ uri })).rejects.toThrow("The page of this app is quarantined");
    await client.close();
  });
});
