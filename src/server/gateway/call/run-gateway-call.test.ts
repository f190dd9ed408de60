import { afterEach, describe, expect, test, vi } from "vitest";
import { failureReply, fakeGatewayBackend, valueReply } from "../../../../test/kit/fake-gateway-backend.ts";
import {
  alicePrincipal,
  clientRoutes,
  openHttpGateway,
  sdkClient,
  type TestGateway,
} from "../../../../test/kit/gateway-clients.ts";
import { postModern } from "../../../../test/kit/post-modern.ts";
import type { ApprovalRequest } from "../../../types/approval.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { BackendCall } from "../gateway-backend.ts";

let gateway: TestGateway | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await gateway?.close();
  gateway = undefined;
});

const pending = (call: BackendCall): Reply => {
  const request: ApprovalRequest = {
    id: "apr_1",
    callId: call.id,
    tool: "bank/pay",
    principal: { ...alicePrincipal, user: "Ann" },
    input: { to: "Bob\u202e", amount: 5, password: "hunter2" },
    reason: "it is risky",
    expiresAt: 1_900_000_000_000,
  };
  return { ...valueReply(call, undefined), ok: false, text: "A person has to agree.", pending: request };
};

const scene = () =>
  fakeGatewayBackend({
    runs: { pay: pending },
    resume: (id, decision) =>
      decision.kind === "allow"
        ? valueReply({ id, tool: "pay" }, "paid")
        : failureReply(
            { id, tool: "pay" },
            { code: "approval_denied", message: `denied: ${JSON.stringify(decision)}` },
          ),
  });

const elicitation = { elicitation: {} };

describe.each(clientRoutes)("over $over in the $era era", ({ era, open }) => {
  const asked = async (answer: unknown) => {
    const { served, resumed, calls } = scene();
    gateway = open(served);
    const client = sdkClient(era, elicitation);
    const forms: { message: string; requestedSchema?: unknown }[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      forms.push(params as (typeof forms)[number]);
      return answer as never;
    });
    await gateway.connect(client);
    const result = await client.callTool({ name: "pay", arguments: { amount: 5 } });
    expect(calls).toHaveLength(1);
    return { result, resumed, forms };
  };

  test("shows the call to the user of the client and runs it after an approval", async () => {
    const { result, resumed, forms } = await asked({ action: "accept", content: { approve: true } });
    expect(result.content).toEqual([{ type: "text", text: "paid" }]);
    expect(resumed).toEqual([{ id: "apr_1", decision: { kind: "allow" }, by: "mcp:alice" }]);
    const { message, requestedSchema } = forms[0]!;
    expect(message).toContain('"bank/pay"');
    expect(message).toContain('"amount":5');
    expect(message).toContain("it is risky");
    expect(message).toContain("alice for Ann");
    expect(message).not.toContain("hunter2");
    expect(message).not.toContain("\u202e");
    expect(requestedSchema).toMatchObject({ required: ["approve"] });
  });

  test("records a denial with its reason, and treats every other answer as a denial", async () => {
    const no = await asked({ action: "accept", content: { approve: false, reason: "too much" } });
    expect(no.resumed[0]?.decision).toEqual({ kind: "deny", reason: "too much" });
    expect(no.result).toMatchObject({
      isError: true,
      _meta: { "haft/failure": { code: "approval_denied" } },
    });
    for (const answer of [
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", content: {} },
      { action: "accept", content: { approve: "yes" } },
    ]) {
      await gateway?.close();
      const { resumed } = await asked(answer);
      expect(resumed[0]?.decision.kind).toBe("deny");
    }
  });

  test("gives the approval id to the code of a client without elicitation, but not to its model", async () => {
    const { served, resumed } = scene();
    gateway = open(served);
    const client = sdkClient(era);
    await gateway.connect(client);
    const result = await client.callTool({ name: "pay" });
    expect(result).toMatchObject({
      isError: true,
      _meta: { "haft/approval": { id: "apr_1", expiresAt: 1_900_000_000_000 } },
    });
    const text = JSON.stringify(result.content);
    expect(text).toContain("only a person can approve it");
    expect(text).not.toContain("apr_1");
    expect(text).not.toMatch(/haft \w/);
    expect(resumed).toHaveLength(0);
  });

  test.each([undefined, "elsewhere"] as const)(
    "asks the client for no approval with approvals: %s",
    async (approvals) => {
      const { served, resumed } = scene();
      gateway = open(served, { approvals });
      const client = sdkClient(era, elicitation);
      await gateway.connect(client);
      expect(await client.callTool({ name: "pay" })).toMatchObject({
        isError: true,
        _meta: { "haft/approval": { id: "apr_1" } },
      });
      expect(resumed).toHaveLength(0);
    },
  );
});

test("leaves an approval pending when it is not answered in time", async () => {
  vi.useFakeTimers();
  const { served, resumed } = scene();
  const own = openHttpGateway(served, { holdMs: 1000 });
  gateway = own;
  const { result } = await postModern(own.http, "tools/call", { name: "pay" }, { capabilities: elicitation });
  expect(result?.inputRequests).toHaveProperty("approval");
  await vi.advanceTimersByTimeAsync(1000);
  expect(resumed).toHaveLength(0);
  expect(own.http.gateway.liveCalls.size).toBe(0);
});
