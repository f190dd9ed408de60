import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { agent, Haft, tool, withMedia } from "haft";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import { openRuntimeBackend } from "../../../src/server/gateway/runtime-backend.ts";
import type { RemoteTool, StdioServer } from "../../../src/types/mcp.ts";
import { type ContentPart, isMedia } from "../../../src/types/message.ts";
import { openHttpGateway, type ProtocolEra, sdkClient } from "../../kit/gateway-clients.ts";
import { pngOf } from "../../kit/png-of.ts";
import { closeAfterTest, listingServer, serveRuntime } from "../kit/mcp/gateway-scene.ts";

const packages = createRequire(import.meta.url);
const everything: StdioServer = {
  command: process.execPath,
  args: [
    join(dirname(packages.resolve("@modelcontextprotocol/server-everything/package.json")), "dist/index.js"),
    "stdio",
  ],
  connectTimeoutMs: 60_000,
};
const eras: readonly ProtocolEra[] = ["legacy", "modern"];
const blue = pngOf(4, [0, 0, 255]).toString("base64");

const drawing = (name: string, more: Partial<RemoteTool> = {}): RemoteTool => ({
  name,
  description: "Draws.",
  inputSchema: { type: "object" },
  ...more,
});
const blocks = [
  { type: "text", text: "Three things:", annotations: { audience: ["user"] } },
  { type: "image", data: blue, mimeType: "image/png", annotations: { priority: 1 } },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  {
    type: "resource",
    resource: { uri: "file:///a/plan.pdf", mimeType: "application/pdf", blob: "JVBERi0=" },
  },
  { type: "resource_link", uri: "file:///b", name: "b" },
];

describe("image of a real server", () => {
  it("is an image part for a model, and unchanged for a program", async () => {
    const { haft } = await serveRuntime({ everything });
    const model = scriptedModel([calls(["everything__get-tiny-image", {}]), says("A logo.")], {
      takes: { data: ["image/*"] },
    });
    const looker = agent({ name: "looker", instructions: "Look.", model, tools: ["*"] });
    const response = await haft.run(looker, "What does it look like?");
    expect(response.content).toBe("A logo.");
    const reported = model.requests[1]?.messages.at(-1);
    const [image] = (reported as { readonly parts: readonly ContentPart[] }).parts;
    expect(image).toMatchObject({ kind: "image", mediaType: "image/png" });
    const bytes = Buffer.from((image as { readonly data: string }).data, "base64");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(reported?.content).toContain('{"type":"image","mimeType":"image/png","part":0}');
    expect(reported?.content).not.toContain(bytes.toString("base64"));
    // Programs receive the result unchanged.
    const value = (await haft.call("everything/get-tiny-image", {})) as { content: unknown[] };
    expect(value.content).toContainEqual(
      expect.objectContaining({ type: "image", data: bytes.toString("base64") }),
    );
  });

  it.each(eras)("passes the gateway to the MCP SDK client unchanged (%s)", async (era) => {
    const { served, haft } = await serveRuntime({ everything });
    const gateway = closeAfterTest(openHttpGateway(served));
    const client = await gateway.connect(sdkClient(era));
    const direct = (await haft.call("everything/get-tiny-image", {})) as { content: unknown[] };
    const { content } = await client.callTool({ name: "everything__get-tiny-image", arguments: {} });
    expect(content).toEqual(direct.content);
    await client.close();
  });
});

describe("content blocks of every kind", () => {
  const results = { draw: { content: blocks }, typed: { content: blocks, structuredContent: { n: 1 } } };
  const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
  const server = listingServer({ tools: [drawing("draw"), drawing("typed", { outputSchema })], results });

  it("are ordered parts of a reply", async () => {
    const { haft } = await serveRuntime({ s: server });
    const [draw, typed] = await haft.turn([
      { id: "1", tool: "s__draw", input: "{}" },
      { id: "2", tool: "s__typed", input: "{}" },
    ]);
    const parts = [
      { kind: "image", mediaType: "image/png", data: blue },
      { kind: "audio", mediaType: "audio/wav", data: "UklGRg==" },
      { kind: "file", mediaType: "application/pdf", data: "JVBERi0=", name: "plan.pdf" },
    ];
    expect(draw).toMatchObject({ value: { content: blocks }, parts });
    expect(JSON.parse(draw!.text).content.map((block: { part?: number }) => block.part)).toEqual([
      undefined,
      0,
      1,
      undefined,
      undefined,
    ]);
    expect(JSON.parse(draw!.text).content[3].resource.part).toBe(2);
    // With an output schema the structured content is the value, and the media are kept.
    expect(typed).toMatchObject({ value: { n: 1 }, text: '{"n":1}', parts });
    const [reported] = await haft.log({ tool: "s/draw" });
    expect(reported?.media).toHaveLength(3);
    expect(JSON.stringify(reported)).not.toContain(blue);
  });

  it.each(["draw", "typed"] as const)(
    "of %s are the same for a gateway client, also when replayed",
    async (name) => {
      const { served } = await serveRuntime({ s: server }, false, "others");
      const gateway = closeAfterTest(openHttpGateway(served));
      const client = await gateway.connect(sdkClient("modern"));
      expect(await client.callTool({ name: `s__${name}`, arguments: {} })).toMatchObject(results[name]);
      const _meta = { "haft/idempotencyKey": "once" };
      const first = await client.callTool({ name: `s__${name}`, arguments: {}, _meta });
      const again = await client.callTool({ name: `s__${name}`, arguments: {}, _meta });
      const bytesOf = ({ content }: typeof first) => JSON.stringify(content).includes(blue);
      expect([bytesOf(first), bytesOf(again)]).toEqual([true, true]);
      await client.close();
    },
  );
});

describe("media of a local tool", () => {
  const parts = [
    { kind: "image", mediaType: "image/png", data: blue },
    { kind: "audio", mediaType: "audio/wav", data: "UklGRg==" },
    { kind: "file", mediaType: "application/pdf", data: "JVBERi0=", name: "Plan größer.pdf" },
    { kind: "image", mediaType: "image/png", url: "https://media.example/a.png" },
  ] as const;
  const draw = tool({
    name: "draw",
    description: "Draws",
    input: [],
    annotations: { readOnly: true },
    run: () => withMedia({ count: parts.length }, parts),
  });

  it.each(eras)("are content blocks for the MCP SDK client (%s)", async (era) => {
    await using haft = await Haft.open({ tools: [draw], principal: { agent: "test", allow: ["*"] } });
    const served = await openRuntimeBackend(haft, { info: { name: "haft", version: "1" } });
    const gateway = closeAfterTest(openHttpGateway(served));
    const client = await gateway.connect(sdkClient(era));
    const result = await client.callTool({ name: "draw", arguments: {} });
    expect(result.structuredContent).toEqual({ count: 4 });
    expect(result.content).toEqual([
      { type: "text", text: '{"count":4}' },
      { type: "image", data: blue, mimeType: "image/png" },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      {
        type: "resource",
        resource: {
          uri: "haft://part/2/Plan%20gr%C3%B6%C3%9Fer.pdf",
          mimeType: "application/pdf",
          blob: "JVBERi0=",
        },
      },
      { type: "resource_link", uri: "https://media.example/a.png", name: "image", mimeType: "image/png" },
    ]);
    expect(parts.every((part) => isMedia(part))).toBe(true);
    await client.close();
  });

  it("pass a gateway and another runtime without loss", async () => {
    await using inner = await Haft.open({ tools: [draw], principal: { agent: "test", allow: ["*"] } });
    const served = await openRuntimeBackend(inner, { info: { name: "haft", version: "1" } });
    const gateway = closeAfterTest(openHttpGateway(served));
    const client = await gateway.connect(sdkClient("modern"));
    const said = await client.callTool({ name: "draw", arguments: {} });
    const { haft } = await serveRuntime({
      s: listingServer({ tools: [drawing("draw")], results: { draw: { content: said.content as never } } }),
    });
    const [reply] = await haft.turn([{ id: "1", tool: "s__draw", input: "{}" }]);
    // Only its server may open a resource link, so it stays a block.
    expect(reply?.parts).toEqual(parts.slice(0, 3));
    await client.close();
  });
});
