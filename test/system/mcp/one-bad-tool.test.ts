import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { describe, expect, it } from "vitest";
import type { GatewayBackend } from "../../../src/server/gateway/gateway-backend.ts";
import { serveSocket } from "../../../src/server/gateway/serve-socket.ts";
import { alicePrincipal, clientRoutes, sdkClient } from "../../kit/gateway-clients.ts";
import { closeAfterTest, listingServer, serveRuntime } from "../kit/mcp/gateway-scene.ts";

const object = { type: "object" };
const good = { name: "good", description: "Works.", inputSchema: object };

/** Definitions that the MCP SDK clients reject together with their whole list. */
const bad: Readonly<Record<string, object>> = {
  "has no type in its input schema": { inputSchema: { properties: { q: { type: "string" } } } },
  "has an input schema made of alternatives": {
    inputSchema: { anyOf: [{ type: "object", properties: { a: object } }, { type: "object" }] },
  },
  "has no input schema": {},
  "has a null for an input schema": { inputSchema: null },
  "has a property that is `true`": { inputSchema: { type: "object", properties: { any: true } } },
  "has an output schema without a type": { inputSchema: object, outputSchema: { properties: {} } },
  "has an output schema that is a list": {
    inputSchema: object,
    outputSchema: { type: "array", items: { type: "string" } },
  },
  "has annotations of wrong kinds": {
    inputSchema: object,
    annotations: { title: 3, readOnlyHint: "yes", destructiveHint: null },
  },
  "has pictures that are none": { inputSchema: object, icons: [{ src: 3 }, "x", { src: "javascript:x" }] },
  "has pictures in no list": { inputSchema: object, icons: { src: "https://127.0.0.1/x.png" } },
  "has an execution of its own": { inputSchema: object, execution: { taskSupport: "perhaps" } },
  "has a text for its meta data": { inputSchema: object, _meta: "x" },
  "has a number for a title": { inputSchema: object, title: 7 },
};

const oldClient = async (served: GatewayBackend): Promise<OldClient> => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new OldClient({ name: "old", version: "1" });
  closeAfterTest({
    connect: async (each) => each,
    close: serveSocket(served, alicePrincipal, far as never).close,
  });
  await client.connect(near);
  return client;
};

describe("a tool that MCP SDK clients cannot parse", () => {
  it.each(Object.keys(bad))("that %s does not affect the other tools, and can be called", async (what) => {
    const server = listingServer({ tools: [{ name: "odd", description: "Odd.", ...bad[what] }, good] });
    const { served } = await serveRuntime({ s: server });
    for (const { era, open } of clientRoutes) {
      const client = await closeAfterTest(open(served)).connect(sdkClient(era));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["s__good", "s__odd"]);
      await client.close();
    }
    const old = await oldClient(served);
    expect((await old.listTools()).tools.map(({ name }) => name)).toEqual(["s__good", "s__odd"]);
    expect(JSON.stringify(await old.callTool({ name: "s__good", arguments: {} }))).toContain("good");
    if (!what.includes("output")) {
      expect(JSON.stringify(await old.callTool({ name: "s__odd", arguments: {} }))).toContain("odd");
    }
    await old.close();
  });

  it("is quarantined under a readable name when it cannot be called", async () => {
    const tools = [
      { description: "A tool that forgot its name.", inputSchema: object },
      { name: "text", inputSchema: "none" },
      { name: "late", inputSchema: { type: "object", properties: { a: { type: "strin" } } } },
      null,
      good,
    ];
    const { haft } = await serveRuntime({ s: listingServer({ tools }) });
    const [state] = haft.mcp.list();
    expect(state?.tools).toEqual(["s/good"]);
    expect(state?.status).toBe("degraded");
    expect(state?.quarantined).toEqual([
      { tool: "s/late", reason: expect.stringContaining("/properties/a/type") },
      { tool: "s/(no name) A tool that forgot its name.", reason: "it has no name" },
      { tool: "s/text", reason: "its input schema is not an object" },
      { tool: "s/(no name)", reason: "it has no name" },
    ]);
  });
});

describe("input schema in an older dialect", () => {
  const inputSchema = {
    type: "object",
    properties: {
      above: { type: "number", minimum: 3, exclusiveMinimum: true },
      below: { type: "number", maximum: 9, exclusiveMaximum: false },
      note: { type: "string", nullable: true },
      kind: { enum: ["a", "b"], nullable: true },
      code: { type: "string", pattern: "^(?!admin)[a-z]+$" },
    },
  };

  it("is converted to the current dialect without quarantining the tool", async () => {
    const { haft, served } = await serveRuntime({ s: listingServer({ tools: [{ ...good, inputSchema }] }) });
    const [state] = haft.mcp.list();
    expect(state).toMatchObject({ status: "connected", quarantined: [] });
    expect(state?.losses).toEqual([
      {
        tool: "s/good",
        loss: "the pattern at /inputSchema/properties/code/pattern is checked only by its server",
      },
    ]);
    const call = (input: object) =>
      (haft.call as (name: string, input: object) => Promise<unknown>)("s/good", input);
    await expect(call({ above: 3 })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(call({ above: 3.5, below: 9, note: null, kind: null, code: "admin" })).resolves.toContain(
      "good",
    );
    const [tool] = served.tools(alicePrincipal);
    expect(tool?.inputSchema.properties).toMatchObject({
      above: { exclusiveMinimum: 3 },
      note: { type: ["string", "null"] },
      // The pattern stays visible to callers.
      code: { pattern: "^(?!admin)[a-z]+$" },
    });
  });
});
