import { agent, Haft, handoff, ModelError, type Principal, tool } from "haft";
import { library, variants } from "haft/agent";
import { authorize, breaker, retry } from "haft/layers";
import { expect, it } from "vitest";
import { calls, says, scriptedModel } from "../kit/scripted-model.ts";

const principal: Principal = { agent: "tester", allow: ["*"] };

const counted = (more: object = {}) => {
  const ran = { times: 0 };
  const pay = tool({ name: "pay", description: "Pays", input: [], run: () => ++ran.times, ...more });
  return { ran, pay };
};

const payer = (tools: readonly unknown[], more: object = {}) =>
  agent({
    name: "payer",
    instructions: "Pay.",
    model: scriptedModel([calls(["pay", {}]), says("Done.")]),
    tools: tools as never,
    ...more,
  });

it("a spec bound to a tool of the runtime is authorized under the tool's full name", async () => {
  const { ran, pay } = counted();
  const haft = await Haft.open({ principal: { ...principal, deny: ["crm/*"] } });
  haft.register(pay, { origin: "project", namespace: "crm" });
  await expect(haft.run(payer([pay.spec]), "Go")).rejects.toThrow('may not use any tool of "payer"');
  expect(ran.times).toBe(0);
});

it("a spec cannot add annotations that the code does not have", async () => {
  const { ran, pay } = counted({ run: () => Promise.reject(new Error(String(++ran.times))) });
  const haft = await Haft.open({ principal });
  const harmless = { ...pay.spec, annotations: { readOnly: true, idempotent: true } };
  await haft.run(payer([harmless]), "Go", {
    library: library({ pay: pay.layer(retry({ attempts: 3, base: 0 })) }),
  });
  expect(ran.times).toBe(1);
  const mixed = variants(
    {
      a: pay.withName("pay"),
      b: tool({
        ...{ name: "pay", description: "Pays", input: [] },
        annotations: { readOnly: true },
        run: () => 1,
      }),
    },
    { pick: { fixed: "a" } },
  );
  expect(mixed.spec.annotations.readOnly).not.toBe(true);
});

it("code from a library runs behind the layers and guards of the tool it replaces", async () => {
  const { ran, pay } = counted();
  const refusing = pay.layer(authorize(() => ({ kind: "deny", reason: "no" })));
  const haft = await Haft.open({ principal });
  let others = 0;
  const other = { pay: () => ++others };
  const response = await haft.run(payer([refusing]), "Go", { library: other });
  expect(response.toolsUsed[0]?.ok).toBe(false);
  const guarded = await Haft.open({ principal, tools: [counted({ requiresApproval: true }).pay] });
  const second = await guarded.run(payer([pay.spec]), "Go", { library: other });
  expect(second.toolsUsed[0]?.ok).toBe(false);
  expect([ran.times, others]).toEqual([0, 0]);
});

it("nothing runs after its signal was aborted", async () => {
  const { ran, pay } = counted();
  const haft = await Haft.open({ principal, tools: [pay] });
  await expect(haft.call("pay", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "cancelled",
  });
  const abort = new AbortController();
  const [result] = await haft.hydrate([{ id: "1", tool: "pay", input: "{}" }], { signal: abort.signal });
  abort.abort();
  expect(await result?.reply?.()).toMatchObject({ id: "1", ok: false, failure: { code: "cancelled" } });
  await expect(result?.tool?.run()).rejects.toMatchObject({ code: "cancelled" });
  expect(ran.times).toBe(0);
});

it("a call that is hydrated twice under one id runs once", async () => {
  const { ran, pay } = counted();
  const haft = await Haft.open({ principal, tools: [pay] });
  const results = await haft.hydrate([
    { id: "1", tool: "pay", input: "{}" },
    { id: "1", tool: "pay", input: "{}" },
  ]);
  await Promise.all(results.map((each) => each.reply?.()));
  expect(results.map(({ success }) => success)).toEqual([true, false]);
  expect(ran.times).toBe(1);
});

it("a repairer can be a class, and one that never answers is interrupted and its entry closed", async () => {
  const { pay } = counted({
    input: { type: "object", properties: { x: { type: "integer" } }, required: ["x"] },
    annotations: { readOnly: true },
  });
  class Repairing {
    readonly id = "test/repairer";
    readonly input = '{"x":1}';
    async generate() {
      return {
        text: "",
        calls: [{ id: "m", tool: "pay", input: this.input }],
        usage: { inputTokens: 0, outputTokens: 0 },
        finish: "calls" as const,
      };
    }
    stream(): never {
      throw new Error("not asked");
    }
  }
  const haft = await Haft.open({ principal, tools: [pay], model: new Repairing() });
  const [repaired] = await haft.turn([{ id: "1", tool: "pay", input: "x is one" }], { repair: "model" });
  expect(repaired?.ok).toBe(true);
  const never = { ...scriptedModel([]), generate: () => new Promise<never>(() => {}) };
  const config = { execution: { defaultTimeoutMs: 20, maxTimeoutMs: 50 } };
  const stuck = await Haft.open({ principal, tools: [pay], model: never, config });
  const [refused] = await stuck.turn([{ id: "1", tool: "pay", input: "x is one" }], { repair: "model" });
  expect(refused?.failure?.code).toBe("unreadable_input");
  const abort = new AbortController();
  const patient = await Haft.open({ principal, tools: [pay], model: never });
  const turn = patient.turn([{ id: "1", tool: "pay", input: "x is one" }], {
    repair: "model",
    signal: abort.signal,
  });
  abort.abort();
  await turn;
  expect((await patient.log()).map(({ ending }) => ending)).toEqual(["failed"]);
});

it("invalid token counts, missing ids and failing models do no harm", async () => {
  const { pay } = counted();
  const haft = await Haft.open({ principal });
  const odd = scriptedModel([
    { calls: [{ id: "", tool: "pay", input: "{}" }], usage: { inputTokens: -1e9, outputTokens: 0 } },
    says("Done."),
  ]);
  const response = await haft.run(payer([pay], { model: odd }), "Go");
  expect(response.usage.inputTokens).toBeNaN();
  const failing = scriptedModel([calls(["pay", {}]), new ModelError("model_unauthorized", "no key")]);
  await expect(haft.run(payer([pay], { model: failing }), "Go")).rejects.toMatchObject({
    response: { turns: 1 },
  });
});

it("a tool cannot hand off to an agent that policy denies to its caller", async () => {
  const boss = agent({ name: "boss", instructions: "Decide.", model: scriptedModel([says("I decide.")]) });
  const pass = tool({ name: "pay", description: "Passes on", input: [], run: () => handoff("boss") });
  const haft = await Haft.open({ principal: { ...principal, deny: ["handoff_to_boss"] } });
  const response = await haft.run(payer([pass], { handoffs: [boss] }), "Go");
  expect(response).toMatchObject({ agent: "payer", content: "Done." });
  expect(response.toolsUsed[0]?.error).toContain("It has no agents to hand off to.");
});

it("a tool whose breaker is open is not shown to the model, wherever the breaker is attached", async () => {
  const broken = tool({
    name: "pay",
    description: "Pays",
    input: [],
    run: () => Promise.reject(new Error("no")),
  });
  const other = broken.withName("other");
  const shownAfter = async (tools: readonly unknown[], options: object) => {
    const model = scriptedModel([calls(["pay", {}]), says("Done.")]);
    const haft = await Haft.open({ principal, ...options });
    await haft.run(payer([...tools, other], { model }), "Go");
    return model.requests.map((request) => request.tools.map(({ wireName }) => wireName));
  };
  const open = breaker({ failures: 1 });
  const expected = [["pay", "other"], ["other"]];
  expect(await shownAfter([broken.layer(open)], {})).toEqual(expected);
  expect(await shownAfter([broken], { layers: [breaker({ failures: 1 })] })).toEqual(expected);
});

it("a model that ignores its signal is left, and its stream is closed", async () => {
  const abort = new AbortController();
  let isClosed = false;
  const endless = {
    ...scriptedModel([]),
    async *stream() {
      try {
        for (;;) {
          yield { kind: "text", text: "la " } as const;
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        isClosed = true;
      }
    },
  };
  const haft = await Haft.open({ principal });
  const stream = haft.stream(payer([], { model: endless }), "Sing", { signal: abort.signal });
  for await (const event of stream) if (event.kind === "text") abort.abort();
  expect((await stream.response).status).toBe("cancelled");
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(true);
});

it.each([
  ["retry", () => retry({ attempt: 5 } as never)],
  ["retry", () => retry(5 as never)],
  ["breaker", () => breaker({ failure: 1 } as never)],
])("a misspelled option of %s is refused when the layer is made", (name, make) => {
  expect(make).toThrow(name);
});
