import { afterEach, describe, expect, it } from "vitest";
import type { BackendCall } from "../../src/server/gateway/gateway-backend.ts";
import type { Principal } from "../../src/types/principal.ts";
import { failureReply, fakeGatewayBackend, fakeMcpSession, valueReply } from "../kit/fake-gateway-backend.ts";
import { alicePrincipal, bobPrincipal, openHttpGateway } from "../kit/gateway-clients.ts";
import { bearer, hostScene, jsonReply, sendRawRequest } from "../kit/host-scene.ts";
import { postModern } from "../kit/post-modern.ts";
import { waitFor } from "../kit/wait-for.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const gatewayTo = (...given: Parameters<typeof openHttpGateway>) => {
  const gateway = openHttpGateway(...given);
  open.push(gateway.close);
  return gateway.http;
};

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};

const sessionAt = (http: ReturnType<typeof gatewayTo>, principal: Principal) => {
  const post = (body: unknown, id?: string) =>
    http.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...(id === undefined ? {} : { "mcp-session-id": id }),
        },
        body: JSON.stringify(body),
      }),
      { principal },
    );
  const start = async (): Promise<string> => {
    const response = await post(initialize);
    await response.text();
    return response.headers.get("mcp-session-id")!;
  };
  return { post, start };
};

describe("a single caller", () => {
  it("ends its own sessions when it opens too many, and not those of others", async () => {
    const http = gatewayTo(fakeGatewayBackend().served, { maxSessions: 4 });
    const [quiet, greedy] = [sessionAt(http, bobPrincipal), sessionAt(http, alicePrincipal)];
    const id = await quiet.start();
    for (let count = 0; count < 10; count++) await greedy.start();
    expect(http.sessions).toBe(4);
    expect((await quiet.post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, id)).status).toBe(200);
  });

  it("cannot take all slots of a host with several callers", async () => {
    const tokens = ["ada", "bob"].map((agent) => ({
      token: `${agent}-token-0123456789`,
      principal: { agent },
    }));
    const end = Promise.withResolvers<void>();
    const host = await hostScene({ auth: { kind: "tokens", tokens }, maxConcurrent: 4 }, async () => {
      await end.promise;
      return jsonReply({});
    });
    const call = (who: string) => sendRawRequest(host, { headers: bearer(`${who}-token-0123456789`) });
    const waiting = [call("ada"), call("ada"), call("ada")];
    await waitFor(() => expect(host.seen).toHaveLength(3));
    expect((await call("ada")).status).toBe(503);
    const other = call("bob");
    await waitFor(() => expect(host.seen).toHaveLength(4));
    end.resolve();
    expect((await Promise.all([...waiting, other])).map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ]);
  });

  it("cannot hold so many tasks that others can have none", async () => {
    const end = Promise.withResolvers<unknown>();
    const { served } = fakeGatewayBackend({
      runs: {
        slow: (call) => {
          call.caller.tasked?.({});
          call.signal.addEventListener("abort", () => end.resolve("stopped"));
          return end.promise;
        },
      },
    });
    const http = gatewayTo(served, { maxHeld: 8 });
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const call = (principal: Principal) =>
      postModern(http, "tools/call", { name: "slow" }, { principal, capabilities });
    expect((await call(alicePrincipal)).result?.taskId).toBeDefined();
    expect((await call(alicePrincipal)).result?.taskId).toBeDefined();
    const third = call(alicePrincipal);
    expect((await call(bobPrincipal)).result?.taskId).toBeDefined();
    end.resolve("done");
    expect((await third).result).toMatchObject({ content: [{ type: "text", text: "done" }] });
  });

  it("continues with the rights that it has when it answers", async () => {
    const rights: unknown[] = [];
    const { served } = fakeGatewayBackend({
      runs: {
        pay: (call: BackendCall) => ({
          ...valueReply(call, undefined),
          ok: false,
          pending: {
            id: "1",
            callId: call.id,
            tool: "pay",
            principal: alicePrincipal,
            input: {},
            reason: "r",
          },
        }),
      },
      resume: (id) => failureReply({ id, tool: "pay" }, { code: "denied", message: "no" }),
    });
    const http = gatewayTo({
      ...served,
      resume: (id, decision, call) => {
        rights.push(call.principal.allow);
        return served.resume(id, decision, call);
      },
    });
    const capabilities = { elicitation: { form: {} } };
    const { result } = await postModern(http, "tools/call", { name: "pay" }, { capabilities });
    const inputResponses = { approval: { action: "accept", content: { approve: true } } };
    const params = { name: "pay", requestState: result?.requestState, inputResponses };
    await postModern(http, "tools/call", params, {
      capabilities,
      principal: { ...alicePrincipal, allow: ["look"] },
    });
    expect(rights).toEqual([["look"]]);
  });

  it("cannot complete or subscribe to a resource of a server that it may not read from", async () => {
    const all = { prompts: {}, resources: { subscribe: true }, completions: {} };
    const answers = { "completion/complete": () => ({ completion: { values: ["inside"] } }) };
    const { session, asked } = fakeMcpSession(all, answers);
    const { served } = fakeGatewayBackend({ servers: [{ id: "one", session, getPrompt: "one/get_prompt" }] });
    const http = gatewayTo(served);
    const ref = { type: "ref/resource", uri: "file:///{path}" };
    const argument = { name: "path", value: "" };
    const { error } = await postModern(http, "completion/complete", { ref, argument });
    expect(error?.message).toContain("Unknown resource");
    const { post, start } = sessionAt(http, alicePrincipal);
    const subscribe = { jsonrpc: "2.0", id: 3, method: "resources/subscribe", params: { uri: "file:///a" } };
    expect(await (await post(subscribe, await start())).text()).toContain(
      "No server supports subscriptions to",
    );
    expect([...asked("completion/complete"), ...asked("resources/subscribe")]).toEqual([]);
  });

  it("can subscribe to a resource repeatedly, but not under an oversized URI", async () => {
    const { session, asked } = fakeMcpSession({ resources: { subscribe: true } });
    const servers = [{ id: "one", session, readResource: "one/read_resource" }];
    const { post, start } = sessionAt(gatewayTo(fakeGatewayBackend({ servers }).served), alicePrincipal);
    const id = await start();
    let count = 10;
    const say = async (method: string, uri: string) =>
      (await post({ jsonrpc: "2.0", id: ++count, method, params: { uri } }, id)).text();
    for (const method of ["resources/subscribe", "resources/unsubscribe", "resources/subscribe"]) {
      expect(await say(method, "file:///a")).toContain('"result":{}');
    }
    const long = `file:///${"a".repeat(10_000)}`;
    expect(await say("resources/subscribe", long)).toContain("No server supports subscriptions to");
    await waitFor(() => expect(asked("resources/subscribe")).toHaveLength(2));
    expect(asked("resources/unsubscribe")).toHaveLength(1);
  });

  it("does not receive the result of another call when it uses an id twice at a time", async () => {
    const end = Promise.withResolvers<unknown>();
    const { served, calls } = fakeGatewayBackend({ runs: { slow: () => end.promise, fast: () => "fast" } });
    const { post, start } = sessionAt(gatewayTo(served), alicePrincipal);
    const id = await start();
    const call = (name: string) => ({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name } });
    const first = await post(call("slow"), id);
    await waitFor(() => expect(calls).toHaveLength(1));
    expect((await post(call("fast"), id)).status).toBe(400);
    expect((await post([call("fast"), call("fast")], id)).status).toBe(400);
    expect(calls).toHaveLength(1);
    end.resolve("slow");
    expect(await first.text()).toContain('"slow"');
    expect(await (await post(call("fast"), id)).text()).toContain('"fast"');
  });
});
