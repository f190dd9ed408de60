import { expect, it } from "vitest";
import type { RemoteTool } from "../../../src/types/mcp.ts";
import { alicePrincipal, openHttpGateway, type ProtocolEra, sdkClient } from "../../kit/gateway-clients.ts";
import { closeAfterTest, listingServer, serveRuntime } from "../kit/mcp/gateway-scene.ts";

const tool = (name: string, more: Partial<RemoteTool> = {}): RemoteTool => ({
  name,
  description: "Draws.",
  inputSchema: { type: "object" },
  ...more,
});
const picture = { type: "image", data: "AAAA", mimeType: "image/png" };
const said = { type: "text", text: "Here it is.", annotations: { audience: ["user"] } };
const whole = { content: [said, picture], structuredContent: { a: 1 }, _meta: { "example.com/seed": 7 } };
const promised = { ...whole, content: [said] };
const refused = { content: [said, picture], isError: true, _meta: { "example.com/seed": 7 } };
const results = { draw: whole, promise: promised, refuse: refused };
const outputSchema = { type: "object", properties: { a: { type: "integer" } } };
const server = listingServer(
  { tools: [tool("draw"), tool("promise", { outputSchema }), tool("refuse")], results },
  { terms: { "*": { requiresApproval: true } } },
);

const eras: readonly ProtocolEra[] = ["legacy", "modern"];

it.each(eras.flatMap((era) => Object.keys(results).map((name) => [name, era] as const)))(
  "the complete result of %s is returned to a client that approves a call requested by another (%s)",
  async (name, era) => {
    const { served } = await serveRuntime({ s: server });
    const gateway = closeAfterTest(openHttpGateway(served));
    const request = { name: `s__${name}`, arguments: {} };
    const expected = results[name as keyof typeof results];
    const first = await gateway.connect(sdkClient(era));
    expect(await first.callTool(request)).toMatchObject({ isError: true, _meta: { "haft/approval": {} } });
    const person = sdkClient(era, { elicitation: { form: {} } });
    person.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { approve: true },
    }));
    await gateway.connect(person);
    expect(await person.callTool(request)).toMatchObject(expected);
    await person.close();
    await first.close();
  },
);

it.each(Object.keys(results))(
  "the complete result of %s is returned to a client that approves after another approved",
  async (name) => {
    const { served } = await serveRuntime({ s: server });
    const gateway = closeAfterTest(openHttpGateway(served));
    const request = { name: `s__${name}`, arguments: {} };
    const yes = { action: "accept" as const, content: { approve: true } };
    const quick = sdkClient("legacy", { elicitation: { form: {} } });
    quick.setRequestHandler("elicitation/create", async () => yes);
    await gateway.connect(quick);
    const slow = sdkClient("legacy", { elicitation: { form: {} } });
    let other: unknown;
    slow.setRequestHandler("elicitation/create", async () => {
      other = await quick.callTool(request);
      return yes;
    });
    await gateway.connect(slow);
    const expected = results[name as keyof typeof results];
    expect(await slow.callTool(request)).toMatchObject(expected);
    expect(other).toMatchObject(expected);
    await slow.close();
    await quick.close();
  },
);

it.each(eras)(
  "the complete result is returned to a client whose call was approved in this process (%s)",
  async (era) => {
    const { haft, served } = await serveRuntime({ s: server });
    const client = await closeAfterTest(openHttpGateway(served)).connect(sdkClient(era));
    const request = { name: "s__draw", arguments: {} };
    await client.callTool(request);
    const operator = haft.as(alicePrincipal);
    const [waiting] = await operator.approvals();
    await operator.resume(waiting!.id, { kind: "allow" });
    expect(await client.callTool(request)).toMatchObject(whole);
    await client.close();
  },
);
