import { afterEach, describe, expect, test, vi } from "vitest";
import { failed, fakeServed, replied } from "../../../test/kit/fake-served.ts";
import { alice, clientOf, type Gateway, httpGateway, ways } from "../../../test/kit/gateway-clients.ts";
import { postModern } from "../../../test/kit/raw-mcp.ts";
import type { ApprovalRequest } from "../../words/approval.ts";
import type { Reply } from "../../words/reply.ts";
import type { ServedCall } from "../served.ts";

let gateway: Gateway | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await gateway?.close();
  gateway = undefined;
});

const pending = (call: ServedCall): Reply => {
  const request: ApprovalRequest = {
    id: "apr_1",
    callId: call.id,
    tool: "bank/pay",
    principal: { ...alice, user: "Ann" },
    input: { to: "Bob\u202e", amount: 5, password: "hunter2" },
    reason: "it is risky",
    expiresAt: 1_900_000_000_000,
  };
  return { ...replied(call, undefined), ok: false, text: "A person has to agree.", pending: request };
};

const scene = () =>
  fakeServed({
    runs: { pay: pending },
    resume: (id, decision) =>
      decision.kind === "allow"
        ? replied({ id, tool: "pay" }, "paid")
        : failed(
            { id, tool: "pay" },
            { code: "approval_denied", message: `denied: ${JSON.stringify(decision)}` },
          ),
  });

const elicitation = { elicitation: {} };

describe.each(ways)("over $over in the $era era", ({ era, open }) => {
  const asked = async (answer: unknown) => {
    const { served, resumed, calls } = scene();
    gateway = open(served);
    const client = clientOf(era, elicitation);
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

  test("a person at the client sees what would run, and a yes lets it run", async () => {
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

  test("a no keeps its reason, and declining, closing and answering something else are a no too", async () => {
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

  test("a client that cannot ask anybody is told whom to ask, and how", async () => {
    const { served, resumed } = scene();
    gateway = open(served);
    const client = clientOf(era);
    await gateway.connect(client);
    const result = await client.callTool({ name: "pay" });
    expect(result).toMatchObject({
      isError: true,
      _meta: { "haft/approval": { id: "apr_1", expiresAt: 1_900_000_000_000 } },
    });
    expect(JSON.stringify(result.content)).toContain("haft approve apr_1");
    expect(resumed).toHaveLength(0);
  });

  test("approvals that are given elsewhere are never asked of the client", async () => {
    const { served, resumed } = scene();
    gateway = open(served, { approvals: "elsewhere" });
    const client = clientOf(era, elicitation);
    await gateway.connect(client);
    expect(await client.callTool({ name: "pay" })).toMatchObject({
      isError: true,
      _meta: { "haft/approval": { id: "apr_1" } },
    });
    expect(resumed).toHaveLength(0);
  });
});

test("a question that nobody answers in time stays open in the ledger: nothing is decided", async () => {
  vi.useFakeTimers();
  const { served, resumed } = scene();
  const own = httpGateway(served, { holdMs: 1000 });
  gateway = own;
  const { result } = await postModern(own.http, "tools/call", { name: "pay" }, { capabilities: elicitation });
  expect(result?.inputRequests).toHaveProperty("approval");
  await vi.advanceTimersByTimeAsync(1000);
  expect(resumed).toHaveLength(0);
  expect(own.http.gateway.live.size).toBe(0);
});
