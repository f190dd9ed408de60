import * as Effect from "effect/Effect";
import { agent, type EventMap, final, Haft, type Principal, tool, workspace } from "haft";
import { CurrentPrincipal, runtimeLayer, Tools } from "haft/effect";
import {
  agentContext,
  approval,
  approvalByEnv,
  authorize,
  failed,
  succeeded,
  type ToolLayer,
} from "haft/layers";
import { calls, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";

const principal: Principal = { agent: "tester", session: "s1", allow: ["**"] };
const empty = (name: string, run: () => unknown = () => name) =>
  tool({ name, description: name, input: [], run });
const raw = (tool: string, input = "{}", id = "1") => ({ id, tool, input });

describe("a name that several tools share", () => {
  it("emits an event for each tool that a new tool shadows", async () => {
    const org = workspace().toolbox("a").add(empty("search")).toolbox("b").add(empty("search")).build();
    const haft = await Haft.open({ org: { name: "acme", workspace: org }, principal });
    const warned: EventMap["tools.overridden"][] = [];
    haft.on("tools.overridden", (event) => warned.push(event));
    haft.register(empty("search"), { origin: "project", namespace: "mine", overrides: true } as never);
    expect(warned.map(({ shadowed }) => shadowed).toSorted()).toEqual(["acme/a/search", "acme/b/search"]);
  });

  it("is resolved among the tools that the caller may see", async () => {
    const project = workspace()
      .toolbox("open")
      .add(empty("read"))
      .toolbox("public")
      .add(empty("read"))
      .toolbox("vault")
      .add(empty("read"))
      .build();
    const haft = await Haft.open({ project, principal: { agent: "a", allow: ["open/*", "public/*"] } });
    const [reply] = await haft.turn([raw("read")]);
    expect(reply?.failure?.code).toBe("ambiguous_tool");
    expect(reply?.text).toContain("open/read");
    expect(reply?.text).toContain("public/read");
    expect(JSON.stringify(reply)).not.toContain("vault");
  });
});

describe("the answer of an approval layer", () => {
  const paying = () => {
    const paid: unknown[] = [];
    const pay = tool({
      name: "pay",
      description: "Pays",
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      run: ({ amount }: { readonly amount: number }) => paid.push(amount),
    });
    return { pay, paid };
  };

  it("from the env stops the call unless it is valid: a promise, a text or nothing", async () => {
    for (const nonsense of [
      Promise.resolve({ kind: "deny" }),
      "yes",
      undefined,
      null,
      { kind: "maybe" },
      1,
    ]) {
      const { pay, paid } = paying();
      const haft = await Haft.open({ tools: [pay.layer(approvalByEnv() as ToolLayer)], principal });
      const env = { approve: () => nonsense };
      const [reply] = await haft.turn([raw("pay", '{"amount":1}')], { env });
      expect([reply?.ok, paid]).toEqual([false, []]);
    }
  });

  it("is used when the layer belongs to the agent", async () => {
    const { pay, paid } = paying();
    const asked: unknown[] = [];
    const haft = await Haft.open({
      principal,
      approver: ({ reason }) => {
        asked.push(reason);
        return { kind: "deny" };
      },
    });
    const model = scriptedModel([calls(["pay", { amount: 1 }]), says("done")]);
    const payer = agent({ name: "payer", instructions: "Pay", model, tools: [pay] });
    await haft.run(payer.layer(approval({ reason: "the agent's own rule" })), "Pay");
    expect([paid, asked]).toEqual([[], ["the agent's own rule"]]);
  });

  it("is requested again for an input that another layer edited, in either order", async () => {
    const editing = authorize(({ input }) =>
      (input as { amount: number }).amount === 1
        ? { kind: "edit", input: { amount: 5_000 } }
        : { kind: "allow" },
    );
    const small = authorize(({ input }) => ({
      kind: (input as { amount: number }).amount <= 100 ? "allow" : "deny",
    }));
    for (const layers of [
      [editing, small],
      [small, editing],
    ]) {
      const { pay, paid } = paying();
      const haft = await Haft.open({ tools: [pay.layer(...layers)], principal });
      const [reply] = await haft.turn([raw("pay", '{"amount":1}')]);
      expect([reply?.failure?.code, paid]).toEqual(["approval_denied", []]);
    }
  });

  it("is requested again for an input that an approver edited", async () => {
    const { pay, paid } = paying();
    const small = authorize(({ input }) => ({
      kind: (input as { amount: number }).amount <= 100 ? "allow" : "deny",
    }));
    const haft = await Haft.open({
      tools: [pay.layer(small, approval({ reason: "money" }))],
      principal,
      approver: () => ({ kind: "edit", input: { amount: 5_000 } }),
    });
    const [reply] = await haft.turn([raw("pay", '{"amount":1}')]);
    expect([reply?.failure?.code, paid]).toEqual(["approval_denied", []]);
  });
});

describe("a grant for a session", () => {
  const world = async () => {
    const asked: string[] = [];
    const save = tool({
      name: "save",
      description: "Saves",
      input: { type: "object", properties: { stars: { type: "integer" } }, required: ["stars"] },
      requiresApproval: true,
      run: ({ stars }: { readonly stars: number }) => stars,
    });
    const haft = await Haft.open({
      tools: [save],
      principal,
      approver: ({ reason }) => {
        asked.push(reason);
        return { kind: "allow", always: "session" };
      },
    });
    await haft.turn([raw("save", '{"stars":1}')]);
    await haft.turn([raw("save", '{"stars":2}')]);
    expect(asked).toHaveLength(1);
    return { haft, asked };
  };

  it("does not cover a call with repaired arguments", async () => {
    const { haft, asked } = await world();
    await haft.turn([raw("save", "{'stars': '3',}")], { repair: "deterministic" });
    expect(asked).toHaveLength(2);
  });

  it("does not cover a call of a run that read untrusted content", async () => {
    const { haft, asked } = await world();
    await haft.turn([raw("save", '{"stars":3}')], { taints: ["web"] });
    expect(asked).toHaveLength(2);
  });
});

describe("invalid arguments of a lenient tool", () => {
  const world = async (rule: object) => {
    const seen: unknown[] = [];
    const take = tool({
      name: "take",
      description: "Takes",
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      validate: "lenient",
      run: (input: unknown) => seen.push(input),
    });
    const haft = await Haft.open({ tools: [take], principal, policy: { rules: [rule] as never } });
    const [reply] = await haft.turn([raw("take", '{"amount":"1"}')]);
    const [good] = await haft.turn([raw("take", '{"amount":1}')]);
    return { code: reply?.failure?.code, good: good?.ok, seen };
  };

  it("match no allow rule with a condition", async () => {
    const { code, good, seen } = await world({ effect: "allow", tools: ["*"], when: { type: "object" } });
    expect([code, good, seen]).toEqual(["denied", true, [{ amount: 1 }]]);
  });

  it("are recorded as not validated", async () => {
    const take = tool({
      name: "take",
      description: "Takes",
      input: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
      validate: "lenient",
      run: () => "taken",
    });
    const haft = await Haft.open({ tools: [take], principal });
    await haft.turn([raw("take", '{"amount":"1"}'), raw("take", '{"amount":1}', "2")]);
    expect((await haft.log()).map(({ provenance }) => provenance?.validated)).toEqual([false, true]);
  });
});

describe("a tool with an Effect that calls another tool", () => {
  it("calls it for its own caller instead of the runtime's principal", async () => {
    const who = tool({
      name: "who",
      description: "Who",
      input: [],
      run: (_, { principal }) => principal.agent,
    });
    const ask = tool({
      name: "ask",
      description: "Asks",
      input: [],
      run: () => Effect.flatMap(Tools, (tools) => tools.call("who", {})),
    });
    const program = Effect.flatMap(Tools, (tools) =>
      Effect.provideService(
        tools.call("ask", {}, { principal: { agent: "weak", allow: ["ask", "who"] } }),
        Tools,
        tools,
      ),
    );
    const layer = runtimeLayer({ tools: [who, ask], principal } as never);
    expect(await Effect.runPromise(Effect.provide(program, layer) as Effect.Effect<unknown>)).toBe("weak");
  });
});

describe("a tool with an Effect", () => {
  it("finds its own caller in the fiber instead of the runtime's principal", async () => {
    const who = tool({
      name: "who",
      description: "Who",
      input: [],
      run: () => Effect.map(CurrentPrincipal, (caller) => caller?.agent),
    });
    const haft = await Haft.open({ tools: [who], principal });
    expect(await haft.as({ agent: "weak", allow: ["who"] }).call("who", {})).toBe("weak");
  });
});

describe("the detail of a failure", () => {
  it("is masked like its message", async () => {
    const canary = "canary-7d2f-do-not-print";
    const leak = tool({
      name: "leak",
      description: "Leaks",
      input: [],
      run: () => failed({ code: "failed", message: "no", detail: `tried with ${canary}` }),
    });
    const haft = await Haft.open({ tools: [leak], principal, credentials: { values: { key: canary } } });
    const [reply] = await haft.turn([raw("leak")]);
    expect(reply?.failure?.detail).toContain("tried with");
    expect(reply?.failure?.detail).not.toContain(canary);
    const thrown = await haft.call("leak", {}).catch((error: unknown) => error);
    expect(JSON.stringify((thrown as { readonly failure?: unknown }).failure)).not.toContain(canary);
  });
});

describe("an agent context with a maximum number of agents", () => {
  it("evicts the agent that called longest ago, not the one that was added first", async () => {
    const counting = agentContext<number>({
      initial: () => 0,
      step: (count) => [count + 1, succeeded(count + 1)],
      max: 2,
    });
    const haft = await Haft.open({ tools: [empty("count").layer(counting)], principal });
    const as = (name: string) => haft.as({ agent: name, allow: ["*"] }).call("count", {});
    expect([await as("first"), await as("second"), await as("first")]).toEqual([1, 1, 2]);
    expect(await as("third")).toBe(1);
    expect([await as("first"), await as("second")]).toEqual([3, 1]);
  });
});

describe("a call that is declined because its turn has ended", () => {
  it("emits started before failed", async () => {
    const haft = await Haft.open({ tools: [empty("end", () => final("the end")), empty("late")], principal });
    const received: string[] = [];
    haft.on("tools.started", ({ callId }) => received.push(`started ${callId}`));
    haft.on("tools.executed", ({ callId }) => received.push(`executed ${callId}`));
    haft.on("tools.failed", ({ callId }) => received.push(`failed ${callId}`));
    const replies = await haft.turn([raw("end", "{}", "1"), raw("late", "{}", "2")], { maxConcurrency: 1 });
    expect(replies.map(({ ok }) => ok)).toEqual([true, false]);
    expect(received).toEqual(["started 1", "executed 1", "started 2", "failed 2"]);
  });
});

describe("a repairer", () => {
  const save = tool({
    name: "save",
    description: "Saves",
    input: { type: "object", properties: { stars: { type: "integer" } }, required: ["stars"] },
    annotations: { readOnly: true },
    run: () => "saved",
  });
  const world = async () => {
    let asked = 0;
    const repairer = async (): Promise<string> => {
      if (++asked > 20) throw new Error("asked without end");
      return '{"stars":"many"}';
    };
    const haft = await Haft.open({ tools: [save], principal });
    return { haft, options: { repair: "model", repairer } as const, asked: () => asked };
  };

  it("is asked once about a call that is only hydrated, even if its answer is invalid", async () => {
    const { haft, options, asked } = await world();
    const [result] = await haft.hydrate([raw("save", '{"stars":"five"}')], options);
    expect([result?.success, asked()]).toEqual([false, 1]);
  });

  it("is not asked about a truncated call", async () => {
    const { haft, options, asked } = await world();
    const cut = { ...raw("save", '{"stars":'), finish: "incomplete" as const };
    const [reply] = await haft.turn([cut], options);
    const [hydrated] = await haft.hydrate([cut], options);
    expect([reply?.ok, hydrated?.success, asked()]).toEqual([false, false, 0]);
  });
});

describe("nulls that a dialect uses for omitted values", () => {
  it("are removed even if the text was repaired", async () => {
    const seen: unknown[] = [];
    const find = tool({
      name: "find",
      description: "Finds",
      input: {
        type: "object",
        properties: { text: { type: "string" }, limit: { type: "integer" } },
        required: ["text"],
      },
      annotations: { readOnly: true },
      run: (input: unknown) => seen.push(input),
    });
    const haft = await Haft.open({ tools: [find], principal });
    const broken = { ...raw("find", '{"text":"a","limit":null,}'), nulls: ["/limit"] };
    const [reply] = await haft.turn([broken], { repair: "deterministic" });
    expect([reply?.ok, seen]).toEqual([true, [{ text: "a" }]]);
  });
});

describe("a model reply that the provider filtered", () => {
  it("stops the run with the reason", async () => {
    const haft = await Haft.open({ principal });
    const model = scriptedModel([{ text: "I was about to", finish: "filter" }]);
    const response = await haft.run(agent({ name: "a", instructions: "Answer", model }), "Go");
    expect(response.status).toBe("stopped");
    expect(response.reason).toContain("filter");
  });
});
