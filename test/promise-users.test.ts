import { type Decision, Haft, type PolicyEngine, tool } from "haft";
import { describe, expect, expectTypeOf, it } from "vitest";

const principal = { agent: "clerk", allow: ["*"] };
const secret = "sk-live-5f2c9a7d41";

const charge = tool({
  name: "charge",
  description: "Charges a card",
  input: { type: "object", properties: { key: { type: "string" } }, required: ["key"] } as const,
  annotations: { readOnly: true },
  run: async ({ key }, ctx) => {
    const value = await ctx.secret(key);
    expectTypeOf(value).toEqualTypeOf<string>();
    ctx.note(`used ${value}`);
    return { sent: value.length, header: `Bearer ${value}` };
  },
});

describe("ctx.secret", () => {
  it("returns the value of a secret, which is masked in the reply, in the ledger and in events", async () => {
    const events: unknown[] = [];
    await using haft = await Haft.open({
      tools: [charge],
      principal,
      credentials: { values: { stripe: secret } },
    });
    haft.on("tools.executed", (event) => events.push(event));
    const [reply] = await haft.turn([{ id: "1", tool: "charge", input: { key: "stripe" } }]);
    expect(reply?.ok).toBe(true);
    expect(reply?.text).toContain(`"sent":${secret.length}`);
    expect(`${reply?.text}${JSON.stringify(events)}${JSON.stringify(await haft.log())}`).not.toContain(
      secret,
    );
  });

  it("masks a secret from its first use when a function returns it", async () => {
    await using haft = await Haft.open({ tools: [charge], principal, credentials: async () => secret });
    const [reply] = await haft.turn([{ id: "1", tool: "charge", input: { key: "stripe" } }]);
    expect(reply?.ok).toBe(true);
    expect(`${reply?.text}${JSON.stringify(await haft.log())}`).not.toContain(secret);
  });

  it("rejects for a secret that no source has, and the failure names the secret and the sources", async () => {
    await using haft = await Haft.open({
      tools: [charge],
      principal,
      credentials: { values: { stripe: secret } },
    });
    const failure = await haft.call("charge", { key: "strip" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "secret_missing", message: expect.stringContaining('"strip"') });
  });
});

const allow: Decision = { effect: "allow", ruleIds: [], reason: "the service says so" };
const ask = tool({
  name: "ask",
  description: "Asks",
  input: { type: "object", properties: { amount: { type: "number" } } } as const,
  run: () => "ran",
});

const withDecide = (decide: PolicyEngine["decide"]) =>
  Haft.open({ tools: [ask], principal, policy: { visible: () => allow, decide } });

describe("a policy engine with promises", () => {
  it("decides each call by the result of its promise", async () => {
    await using haft = await withDecide(async ({ input }) => {
      await new Promise((go) => setImmediate(go));
      const { amount } = input as { readonly amount: number };
      return amount < 5 ? allow : { ...allow, effect: "deny", reason: "too much" };
    });
    expect(await haft.call("ask", { amount: 1 })).toBe("ran");
    await expect(haft.call("ask", { amount: 9 })).rejects.toMatchObject({ code: "denied" });
  });

  it.each([
    ["rejects", Promise.reject.bind(Promise, new Error("no connection")), "the policy failed: no connection"],
    ["resolves to no decision", async () => "yes" as never, "the policy returned no decision"],
  ])("denies when its promise %s, and records the reason", async (_, decide, reason) => {
    await using haft = await withDecide(decide as PolicyEngine["decide"]);
    await expect(haft.call("ask", { amount: 1 })).rejects.toMatchObject({ code: "denied" });
    expect((await haft.log())[0]?.decision).toContain(reason);
  });

  it("can require approval", async () => {
    await using haft = await Haft.open({
      tools: [ask],
      principal,
      policy: {
        visible: () => allow,
        decide: async () => ({ ...allow, effect: "approve", reason: "large" }),
      },
      approver: () => ({ kind: "allow" }),
    });
    expect(await haft.call("ask", { amount: 1 })).toBe("ran");
  });
});
