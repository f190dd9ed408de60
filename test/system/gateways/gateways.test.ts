import type { Client } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientCapabilities, type ProtocolEra, sdkClient } from "../../kit/gateway-clients.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { start } from "../cli/start.ts";
import { type CallerName, type GatewaysScene, openGateways } from "./scene.ts";

let scene: GatewaysScene;
beforeAll(async () => {
  scene = await openGateways();
});
afterAll(() => scene?.[Symbol.asyncDispose]());

const eras: readonly ProtocolEra[] = ["legacy", "modern"];
const elicits: ClientCapabilities = { elicitation: { form: {} } };

/** One client at each gateway, all of the same caller. */
const clientPerGateway = (era: ProtocolEra, caller?: CallerName) =>
  Promise.all(
    Array.from({ length: scene.count }, async (_, gateway) => {
      const client = sdkClient(era);
      await scene.connect(client, gateway, caller);
      return client;
    }),
  );

const effectsOf = (id: string): number => scene.witness.effects.filter((each) => each === id).length;

const endingsOf = async (tool: string, id: string): Promise<readonly string[]> => {
  const { out } = await start(["log", "--tool", tool, "--json", "--ledger", scene.url], { env: scene.env })
    .ended;
  return out
    .trim()
    .split("\n")
    .filter((line) => line.includes(id))
    .map((line) => (JSON.parse(line) as { readonly ending: string }).ending);
};

const waitingOn = async (id: string): Promise<string> => {
  const { out } = await start(["approvals", "--json", "--ledger", scene.url], { env: scene.env }).ended;
  const line = out.split("\n").find((each) => each.includes(id));
  return (JSON.parse(line ?? "{}") as { readonly id: string }).id;
};

const approvalIn = (meta: object | undefined): string | undefined =>
  (meta as Record<string, { readonly id: string }> | undefined)?.["haft/approval"]?.id;

const textOf = ({ content }: { readonly content?: unknown }): string =>
  (content as readonly { readonly text: string }[])[0]?.text ?? "";

describe.each(eras)("%s clients at several gateways", (era) => {
  it("get the same approval request for the same pending call", async () => {
    const clients = await clientPerGateway(era);
    const call = { name: "pay", arguments: { id: `later-${era}` } };
    const ids: (string | undefined)[] = [];
    for (const client of clients) ids.push(approvalIn((await client.callTool(call))._meta));
    expect(ids[0]).toBeDefined();
    expect(new Set(ids).size).toBe(1);
    const { code } = await start(["approve", ids[0]!, "--ledger", scene.url], { env: scene.env }).ended;
    expect(code).toBe(0);
    expect(textOf(await clients[2]!.callTool(call))).toContain(`done later-${era}`);
    expect(effectsOf(`later-${era}`)).toBe(1);
    // The reply was delivered, so the same arguments are a new call.
    const again = await clients[1]!.callTool(call);
    expect(approvalIn(again._meta)).toMatch(/./);
    expect(approvalIn(again._meta)).not.toBe(ids[0]);
    for (const client of clients) await client.close();
  });

  it("get the result when haft approve answers the request in another process", async () => {
    const silent = sdkClient(era, elicits);
    const asked = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    silent.setRequestHandler("elicitation/create", (_, { mcpReq }) => {
      asked.resolve();
      return new Promise((resolve) => {
        const decline = () => resolve({ action: "cancel" as const });
        // A modern client receives the result as the reply to its answer, which then no longer counts.
        void received.promise.then(decline);
        mcpReq.signal.addEventListener("abort", decline);
      });
    });
    await scene.connect(silent, 2);
    const calling = silent.callTool({ name: "pay", arguments: { id: `elsewhere-${era}` } });
    await asked.promise;
    const approvalId = await waitingOn(`elsewhere-${era}`);
    await start(["approve", approvalId, "--ledger", scene.url], { env: scene.env }).ended;
    await waitFor(() => expect(effectsOf(`elsewhere-${era}`)).toBe(1));
    received.resolve();
    expect(textOf(await calling)).toContain(`done elsewhere-${era}`);
    expect(effectsOf(`elsewhere-${era}`)).toBe(1);
    await silent.close();
  });

  it("need approval at every gateway after their caller has read untrusted content at one", async () => {
    const send = (client: Client) => client.callTool({ name: "send", arguments: { id: `sent-${era}` } });
    const clients = await clientPerGateway(era, era);
    await clients[0]!.callTool({ name: "page", arguments: { id: "x" } });
    for (const client of clients) {
      expect((await send(client))._meta).toHaveProperty(["haft/approval"]);
      await client.close();
    }
    expect(effectsOf(`sent-${era}`)).toBe(0);
    const other = sdkClient(era);
    await scene.connect(other, 1, `other-${era}`);
    expect(textOf(await send(other))).toContain(`done sent-${era}`);
    await other.close();
  });
});

describe("gateway killed during a call", () => {
  it.each(eras)(
    "closes the connection of a %s client, which initializes again, and the call is not repeated",
    async (era) => {
      const id = `killed-${era}`;
      const client = sdkClient(era);
      const errors: Error[] = [];
      client.onerror = (error) => errors.push(error);
      const route = await scene.connect(client, 0);
      const calling = client.callTool({ name: "hold", arguments: { id } });
      void calling.catch((error: Error) => errors.push(error));
      await scene.witness.begun(id);
      const comeBack = scene.kill(0);
      await waitFor(() => expect(errors).not.toEqual([]));
      route.moveTo(1);
      // Only a legacy client has a session.
      if (era === "legacy") {
        const lost = client.callTool({ name: "note", arguments: { id: `lost-${id}` } });
        await expect(lost).rejects.toThrow("Session not found");
      }
      const again = sdkClient(era);
      await scene.connect(again, 1);
      const after = await again.callTool({ name: "note", arguments: { id: `after-${id}` } });
      expect(textOf(after)).toContain(`done after-${id}`);
      await waitFor(async () => expect(await endingsOf("hold", id)).toEqual(["unknown"]));
      await client.close();
      await expect(calling).rejects.toThrow();
      expect(effectsOf(`held-${id}`)).toBe(1);
      expect(effectsOf(`lost-${id}`)).toBe(0);
      await again.close();
      await comeBack();
    },
  );

  it("leaves an open approval request, which another gateway sends again", async () => {
    const client = sdkClient("modern", elicits);
    let asked = 0;
    let comeBack = async (): Promise<void> => {};
    client.setRequestHandler("elicitation/create", async () => {
      asked += 1;
      if (asked === 1) {
        comeBack = scene.kill(1);
        route.moveTo(2);
      }
      return { action: "accept", content: { approve: true } };
    });
    const route = await scene.connect(client, 1);
    const result = await client.callTool({ name: "pay", arguments: { id: "orphaned" } });
    expect(textOf(result)).toContain("done orphaned");
    expect(asked).toBe(2);
    expect(effectsOf("orphaned")).toBe(1);
    await client.close();
    await comeBack();
  });
});
