import { describe, expect, it } from "vitest";
import { clientRoutes, openConnectionGateway, sdkClient } from "../../kit/gateway-clients.ts";
import { closeAfterTest, listingServer, serveRuntime } from "../kit/mcp/gateway-scene.ts";

const image = {
  name: "image",
  description: "Draws.",
  inputSchema: { type: "object", properties: { of: { type: "string" } }, required: ["of"] },
};
const server = listingServer({ tools: [image] });
const caller = { agent: "alice", allow: ["*"] };
const stranger = { agent: "bob", allow: ["*"], deny: ["fm/image"] };

describe("tool called by its wire name", () => {
  it.each(clientRoutes)(
    "has its full name in every message and entry ($era, $over)",
    async ({ era, open }) => {
      const { haft, served } = await serveRuntime({ fm: server });
      const client = await closeAfterTest(open(served, { principal: caller })).connect(sdkClient(era));
      const named = async (name: string, input: object): Promise<string> =>
        JSON.stringify(await client.callTool({ name, arguments: input as Record<string, unknown> }));
      await named("fm__image", { of: "a house" });
      const invalid = await named("fm__image", {});
      expect(invalid).toContain("fm/image");
      expect(invalid).not.toContain("fm__image");
      await named("fm/image", { of: 3 });
      const other = await closeAfterTest(open(served, { principal: stranger })).connect(sdkClient(era));
      await expect(other.callTool({ name: "fm__image", arguments: {} })).rejects.toThrow("Unknown tool");
      const rows = await haft.log({ tool: "fm/image" });
      expect(rows.map(({ tool, code }) => [tool, code])).toEqual([
        ["fm/image", undefined],
        ["fm/image", "invalid_input"],
        ["fm/image", "invalid_input"],
        ["fm/image", "not_visible"],
      ]);
      expect(await haft.log({ tool: "fm__image" })).toEqual(rows);
      await client.close();
      await other.close();
    },
  );

  it("is logged as called when it does not exist", async () => {
    const { haft, served } = await serveRuntime({ fm: server });
    const client = await closeAfterTest(openConnectionGateway(served)).connect(sdkClient("legacy"));
    await expect(client.callTool({ name: "fm__video", arguments: {} })).rejects.toThrow("Unknown tool");
    expect(await haft.log({ tool: "fm/video" })).toMatchObject([{ tool: "fm__video", code: "unknown_tool" }]);
    await client.close();
  });
});
