import { afterEach, describe, expect, test } from "vitest";
import { failureReply, fakeGatewayBackend, valueReply } from "../../../../test/kit/fake-gateway-backend.ts";
import {
  clientRoutes,
  openHttpGateway,
  sdkClient,
  type TestGateway,
} from "../../../../test/kit/gateway-clients.ts";
import { postModern } from "../../../../test/kit/post-modern.ts";
import {
  acceptedForm,
  elicitationCapability,
  elicitTwice,
  formElicitation,
} from "../../../../test/kit/two-elicitations.ts";

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

describe.each(clientRoutes)("over $over in the $era era", ({ era, open }) => {
  test("forwards the elicitations of a server round by round and runs the call once", async () => {
    const { served, calls } = fakeGatewayBackend({ runs: { greet: elicitTwice } });
    gateway = open(served);
    const client = sdkClient(era, elicitationCapability);
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { name: params.message.startsWith("First") ? "Ada" : "Lovelace" } };
    });
    await gateway.connect(client);
    const result = await client.callTool({ name: "greet" });
    expect(result.content).toEqual([{ type: "text", text: "Ada Lovelace" }]);
    expect(asked).toEqual(["First name?", "Last name?"]);
    expect(calls).toHaveLength(1);
  });

  test("forwards sampling and roots like forms", async () => {
    const { served } = fakeGatewayBackend({
      runs: {
        curious: ({ caller, signal }) =>
          caller.ask!(
            {
              model: {
                method: "sampling/createMessage",
                params: {
                  messages: [{ role: "user", content: { type: "text", text: "hi" } }],
                  maxTokens: 5,
                },
              },
              roots: { method: "roots/list", params: {} },
            },
            signal,
          ),
      },
    });
    gateway = open(served);
    const client = sdkClient(era, { sampling: {}, roots: {} });
    client.setRequestHandler("sampling/createMessage", () => ({
      role: "assistant",
      model: "m",
      content: { type: "text", text: "hello" },
    }));
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///home" }] }));
    await gateway.connect(client);
    expect((await client.callTool({ name: "curious" })).structuredContent).toMatchObject({
      model: { role: "assistant", content: { type: "text", text: "hello" } },
      roots: { roots: [{ uri: "file:///home" }] },
    });
  });

  test("refuses a request that the client cannot answer", async () => {
    const { served } = fakeGatewayBackend({
      runs: {
        greet: (call) =>
          call.caller.ask!({ name: formElicitation("Name?") }, call.signal).then(
            () => "asked",
            (error) => failureReply(call, error.failure),
          ),
      },
    });
    gateway = open(served);
    const client = sdkClient(era);
    await gateway.connect(client);
    await expect(client.callTool({ name: "greet" })).rejects.toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });
});

test("uses an answer that comes with the call once, and never for an approval", async () => {
  const { served, calls } = fakeGatewayBackend({
    runs: {
      greet: elicitTwice,
      pay: (call) => ({
        ...valueReply(call, undefined),
        ok: false,
        pending: {
          id: "apr_1",
          callId: call.id,
          tool: "pay",
          principal: call.principal,
          input: {},
          reason: "r",
        },
      }),
    },
  });
  const own = openHttpGateway(served);
  gateway = own;
  const options = { capabilities: elicitationCapability };
  const inputResponses = {
    first: acceptedForm("Ada"),
    approval: { action: "accept", content: { approve: true } },
  };
  const { result } = await postModern(own.http, "tools/call", { name: "greet", inputResponses }, options);
  expect(Object.keys(result?.inputRequests ?? {})).toEqual(["last"]);
  const pay = await postModern(own.http, "tools/call", { name: "pay", inputResponses }, options);
  expect(pay.result?.resultType).toBe("input_required");
  expect(calls).toHaveLength(2);
});

test("passes on the error of a server that only the caller received", async () => {
  const { served } = fakeGatewayBackend({
    runs: {
      refused: (call) => {
        call.caller.refused?.({ code: -32050, message: "no", data: { key: "hunter2" } }, call.id);
        return failureReply(call, { code: "mcp_protocol", message: "The server refused." });
      },
    },
    redact: (text) => text.replaceAll("hunter2", "[masked]"),
  });
  const own = openHttpGateway(served);
  gateway = own;
  const { error } = await postModern(own.http, "tools/call", { name: "refused" });
  expect(error).toEqual({ code: -32050, message: "no", data: { key: "[masked]" } });
});

test("passes the log level of the client to a call", async () => {
  const { served, calls } = fakeGatewayBackend({ runs: { quiet: () => "x" } });
  const own = openHttpGateway(served);
  gateway = own;
  await postModern(own.http, "tools/call", { name: "quiet" });
  const _meta = { "io.modelcontextprotocol/logLevel": "warning" };
  await postModern(own.http, "tools/call", { name: "quiet", _meta });
  expect(calls.map(({ caller }) => caller.logLevel)).toEqual([undefined, "warning"]);
});

test("passes on content blocks of unknown kinds and other fields, except fields of the protocol", async () => {
  const content = [{ type: "hologram", frames: [1, 2], nested: { deep: true } }];
  const { served } = fakeGatewayBackend({
    runs: {
      odd: (call) => {
        const forged = { resultType: "task", taskId: "forged" };
        const _meta = { "io.modelcontextprotocol/serverInfo": { name: "another", version: "1" } };
        call.caller.received?.("v", { content, extra: 1, _meta, ...forged } as never, call.id);
        return "v";
      },
    },
  });
  const own = openHttpGateway(served);
  gateway = own;
  const { result } = await postModern(own.http, "tools/call", { name: "odd" });
  expect(result).toMatchObject({ content, extra: 1, resultType: "complete" });
  expect(result).not.toHaveProperty("taskId");
  expect(result?._meta).toEqual({ "io.modelcontextprotocol/serverInfo": served.info });
});
