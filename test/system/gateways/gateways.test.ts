import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ClientCapabilities, type ProtocolEra, sdkClient } from "../../kit/gateway-clients.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { start } from "../cli/start.ts";
import { type GatewaysScene, openGateways } from "./scene.ts";

let scene: GatewaysScene;
beforeAll(async () => {
  scene = await openGateways();
});
afterAll(() => scene?.[Symbol.asyncDispose]());

const eras: readonly ProtocolEra[] = ["legacy", "modern"];
const elicits: ClientCapabilities = { elicitation: { form: {} } };

const turnTo = (gateway: number): void => scene.balancer.turnTo(scene.gateways[gateway]!.port);

/** A client that accepts every approval, and the gateways that took its requests. */
const connected = async (era: ProtocolEra, first: number, answering: () => void = () => {}) => {
  const client = sdkClient(era, elicits);
  const asked: unknown[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params);
    answering();
    return { action: "accept", content: { approve: true } };
  });
  const before = scene.balancer.taken.length;
  await scene.connect(client, first);
  const taken = () => scene.balancer.taken.slice(before);
  /** A legacy client opens a stream after its first messages. */
  const quiet = () => waitFor(() => expect(taken().length).toBeGreaterThanOrEqual(era === "legacy" ? 3 : 1));
  return { client, asked, ports: { taken, quiet } };
};

const effectsOf = (id: string): number => scene.witness.effects.filter((each) => each === id).length;

const logOf = async (tool: string) => {
  const { out } = await start(["log", "--tool", tool, "--json", "--ledger", scene.url], { env: scene.env })
    .ended;
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly input: string; readonly ending: string });
};

const waitingOn = async (id: string): Promise<string> => {
  const { out } = await start(["approvals", "--json", "--ledger", scene.url], { env: scene.env }).ended;
  const line = out.split("\n").find((each) => each.includes(id));
  return (JSON.parse(line ?? "{}") as { readonly id: string }).id;
};

const post = async (port: number, message: object, headers: object): Promise<Response> => {
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
  await response.text();
  return response;
};

/** Starts a session that only one gateway has seen. */
const beginAt = async (port: number): Promise<string> => {
  const clientInfo = { name: "client", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const { headers } = await post(port, { method: "initialize", params }, {});
  return headers.get("mcp-session-id") ?? "";
};

const approvalIn = (meta: object | undefined): string | undefined =>
  (meta as Record<string, { readonly id: string }> | undefined)?.["haft/approval"]?.id;

/** Response status of a gateway to a request in a session. */
const statusOf = async (port: number, session: string): Promise<number> =>
  (await post(port, { method: "ping" }, { "mcp-session-id": session })).status;

const textOf = ({ content }: { readonly content?: unknown }): string =>
  (content as readonly { readonly text: string }[])[0]?.text ?? "";

describe.each(eras)("%s client behind a load balancer", (era) => {
  it("is served by all gateways", async () => {
    const { client, ports } = await connected(era, 0);
    for (const id of ["a", "b", "c", "d"]) {
      const result = await client.callTool({ name: "note", arguments: { id: `${era}-${id}` } });
      expect(textOf(result)).toContain(`done ${era}-${id}`);
    }
    expect(new Set(ports.taken()).size).toBe(3);
    expect(scene.witness.effects.filter((id) => id.startsWith(`${era}-`))).toHaveLength(4);
    await client.close();
  });

  it("connects to one gateway, calls at another and approves at a third, and the call runs once", async () => {
    const { client, asked, ports } = await connected(era, 0, () => turnTo(2));
    await ports.quiet();
    turnTo(1);
    const result = await client.callTool({ name: "pay", arguments: { id: `paid-${era}` } });
    expect(result.isError).not.toBe(true);
    expect(asked).toHaveLength(1);
    expect(ports.taken()[0]).toBe(scene.gateways[0]!.port);
    expect(ports.taken().slice(-2)).toEqual([scene.gateways[1]!.port, scene.gateways[2]!.port]);
    expect(effectsOf(`paid-${era}`)).toBe(1);
    await client.close();
  });

  it("gets the same approval request for a repeated pending call at every gateway", async () => {
    const client = sdkClient(era);
    await scene.connect(client, 0);
    const call = () => client.callTool({ name: "pay", arguments: { id: `later-${era}` } });
    const asked = [await call(), await call(), await call()];
    const ids = asked.map(({ _meta }) => approvalIn(_meta));
    expect(new Set(ids).size).toBe(1);
    const { code } = await start(["approve", ids[0]!, "--ledger", scene.url], { env: scene.env }).ended;
    expect(code).toBe(0);
    expect(textOf(await call())).toContain(`done later-${era}`);
    expect(effectsOf(`later-${era}`)).toBe(1);
    // The reply was delivered, so the same arguments are a new call.
    const again = await call();
    expect(approvalIn(again._meta)).not.toBe(ids[0]);
    await client.close();
  });

  it("gets the result when haft approve answers its request in another process", async () => {
    const silent = sdkClient(era, elicits);
    const asked = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<void>();
    silent.setRequestHandler("elicitation/create", (_, { mcpReq }) => {
      asked.resolve();
      return new Promise((resolve) => {
        const decline = () => resolve({ action: "cancel" as const });
        // A modern client receives the result as the reply to its answer, which then no longer counts.
        void heard.promise.then(decline);
        mcpReq.signal.addEventListener("abort", decline);
      });
    });
    await scene.connect(silent, 2);
    const calling = silent.callTool({ name: "pay", arguments: { id: `elsewhere-${era}` } });
    await asked.promise;
    const approvalId = await waitingOn(`elsewhere-${era}`);
    await start(["approve", approvalId, "--ledger", scene.url], { env: scene.env }).ended;
    await waitFor(() => expect(effectsOf(`elsewhere-${era}`)).toBe(1));
    heard.resolve();
    expect(textOf(await calling)).toContain(`done elsewhere-${era}`);
    expect(effectsOf(`elsewhere-${era}`)).toBe(1);
    await silent.close();
  });

  it("needs approval at every gateway after it read untrusted content at one", async () => {
    const client = sdkClient(era);
    await scene.connect(client, 0);
    await client.callTool({ name: "page", arguments: { id: "x" } });
    for (const _ of scene.gateways) {
      const sent = await client.callTool({ name: "send", arguments: { id: `sent-${era}` } });
      expect(sent._meta).toHaveProperty(["haft/approval"]);
    }
    expect(effectsOf(`sent-${era}`)).toBe(0);
    await client.close();
  });
});

describe("gateway session", () => {
  it("is gone at every gateway after its client ended it", async () => {
    const client = sdkClient("legacy");
    await scene.connect(client, 0);
    const { sessionId } = client.transport!;
    await (client.transport as StreamableHTTPClientTransport).terminateSession();
    for (const { port } of scene.gateways) {
      await waitFor(async () => expect(await statusOf(port, sessionId!)).toBe(404));
    }
    await client.close();
  });

  it("is rejected by every gateway when its row was sealed for another session", async () => {
    const [here, there] = scene.gateways.map(({ port }) => port) as [number, number, number];
    const ids = [await beginAt(here), await beginAt(here), await beginAt(here)] as const;
    expect(await statusOf(there, ids[0])).toBe(200);
    await scene.sql(
      `UPDATE haft_gateway_sessions SET sealed =
        (SELECT sealed FROM haft_gateway_sessions ORDER BY used_at DESC LIMIT 1)`,
    );
    expect(await statusOf(there, ids[1])).toBe(404);
    expect(await statusOf(there, ids[2])).toBe(404);
  });
});

describe("connection that breaks during a call", () => {
  it("keeps the call running, and another gateway delivers its result to the reconnected client", async () => {
    const client = sdkClient("legacy");
    const first = scene.answers();
    await scene.connect(client, 0);
    await waitFor(() => expect(scene.answers() - first).toBeGreaterThanOrEqual(3));
    turnTo(1);
    // A client can resume a stream only after its first event.
    const tokens: string[] = [];
    const calling = client.callTool(
      { name: "hold", arguments: { id: "cut" } },
      { onresumptiontoken: (token) => tokens.push(token) },
    );
    await scene.witness.begun("cut");
    await waitFor(() => expect(tokens).not.toEqual([]));
    turnTo(2);
    scene.balancer.cut();
    scene.witness.release("cut");
    expect(textOf(await calling)).toContain("done cut");
    expect(effectsOf("held-cut")).toBe(1);
    await client.close();
  });
});

describe("gateway killed during a call", () => {
  const killedWhileCalling = async (era: ProtocolEra, id: string, isStreaming: boolean) => {
    const client = sdkClient(era, elicits);
    const first = scene.answers();
    await scene.connect(client, 0);
    // The last one is the stream that a legacy client keeps open.
    await waitFor(() => expect(scene.answers() - first).toBeGreaterThanOrEqual(era === "legacy" ? 3 : 1));
    const tokens: string[] = [];
    const calling = client
      .callTool({ name: "hold", arguments: { id } }, { onresumptiontoken: (token) => tokens.push(token) })
      .then(
        (result) => ({ result }),
        (error: Error) => ({ error }),
      );
    const pid = await scene.witness.begun(id);
    // A client can resume a stream only after its first event.
    if (isStreaming) await waitFor(() => expect(tokens).not.toEqual([]));
    const { comeBack } = scene.kill(pid);
    return { client, told: await calling, comeBack };
  };

  it.each([
    ["legacy", false],
    ["legacy", true],
    ["modern", false],
  ] as const)(
    "returns outcome_unknown to a %s client, and the call is not repeated (stream started: %s)",
    async (era, isStreaming) => {
      const id = `killed-${era}-${isStreaming}`;
      const { client, told, comeBack } = await killedWhileCalling(era, id, isStreaming);
      // A client that reconnects to another gateway receives outcome_unknown from the ledger.
      if (isStreaming || "result" in told) {
        expect(told).toHaveProperty("result.isError", true);
        expect(JSON.stringify(told)).toContain("outcome_unknown");
      } else expect(told).toHaveProperty("error");
      const after = await client.callTool({ name: "note", arguments: { id: `after-${id}` } });
      expect(textOf(after)).toContain(`done after-${id}`);
      expect(effectsOf(`held-${id}`)).toBe(1);
      const entries = (await logOf("hold")).filter(({ input }) => input.includes(id));
      expect(entries.map(({ ending }) => ending)).toEqual(["unknown"]);
      await client.close();
      await comeBack();
    },
  );

  it("leaves an open approval request, which another gateway sends again", async () => {
    const client = sdkClient("modern", elicits);
    let asked = 0;
    client.setRequestHandler("elicitation/create", async () => {
      asked += 1;
      if (asked === 1) {
        scene.kill(scene.gateways[1]!.pid);
        turnTo(2);
      }
      return { action: "accept", content: { approve: true } };
    });
    await scene.connect(client, 0);
    turnTo(1);
    const result = await client.callTool({ name: "pay", arguments: { id: "orphaned" } });
    expect(textOf(result)).toContain("done orphaned");
    expect(asked).toBe(2);
    expect(effectsOf("orphaned")).toBe(1);
    await client.close();
  });
});
