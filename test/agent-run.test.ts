import * as Effect from "effect/Effect";
import {
  agent,
  ConfigurationError,
  final,
  Haft,
  handoff,
  ModelError,
  type Principal,
  ToolBindingError,
  tool,
} from "haft";
import { timeBudget, tokenBudget, toolCalled, validateConversation } from "haft/agent";
import { authorize, failed, tap, trace } from "haft/layers";
import { describe, expect, it } from "vitest";
import { calls, says, scriptedModel } from "./kit/scripted-model.ts";
import { recordingLayer } from "./kit/test-layers.ts";

const principal: Principal = { agent: "tester", allow: ["*"] };

const weather = tool({
  name: "get_weather",
  description: "Weather of a city",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  annotations: { readOnly: true },
  run: ({ city }: { city: string }) => {
    if (city === "Atlantis") throw new Error("there is no such city");
    return { city, celsius: 21 };
  },
});

const helper = (more: object = {}) =>
  agent({ name: "helper", instructions: "Be brief.", tools: [weather], ...more });

const open = (options: object = {}) => Haft.open({ principal, ...options });

describe("haft.run", () => {
  it("calls the model, runs its tool calls in order, and repeats until a reply has no calls", async () => {
    const model = scriptedModel([
      calls(["get_weather", { city: "Oslo" }], ["get_weather", { city: "Paris" }]),
      says("Both have 21 degrees."),
    ]);
    const haft = await open();
    const response = await haft.run(helper({ model }), "Weather in Oslo and Paris?");
    expect(response).toMatchObject({
      content: "Both have 21 degrees.",
      status: "done",
      agent: "helper",
      turns: 2,
    });
    expect(response.toolsUsed).toEqual([
      {
        name: "get_weather",
        callId: "call-1-1",
        agent: "helper",
        arguments: { city: "Oslo" },
        ok: true,
        result: { city: "Oslo", celsius: 21 },
      },
      {
        name: "get_weather",
        callId: "call-1-2",
        agent: "helper",
        arguments: { city: "Paris" },
        ok: true,
        result: { city: "Paris", celsius: 21 },
      },
    ]);
    expect(response.context.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(validateConversation(response.context)).toEqual([]);
    const [first] = model.requests;
    expect(first?.messages[0]).toEqual({ role: "system", content: "Be brief." });
    expect(first?.tools.map(({ wireName }) => wireName)).toEqual(["get_weather"]);
  });

  it("reports a failing tool to the model and continues", async () => {
    const model = scriptedModel([calls(["get_weather", { city: "Atlantis" }]), says("There is none.")]);
    const response = await (await open()).run(helper({ model }), "Weather in Atlantis?");
    expect(response.content).toBe("There is none.");
    expect(response.toolsUsed[0]).toMatchObject({
      ok: false,
      error: expect.stringContaining("no such city"),
    });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", ok: false });
  });

  it("continues a given conversation", async () => {
    const model = scriptedModel([says("Hello, Ada."), says("You are Ada.")]);
    const haft = await open({ model });
    const one = await haft.run(helper(), "I am Ada.");
    const two = await haft.run(helper(), "Who am I?", { context: one.context });
    expect(two.context.map(({ content }) => content)).toEqual([
      "I am Ada.",
      "Hello, Ada.",
      "Who am I?",
      "You are Ada.",
    ]);
    expect(model.requests[1]?.messages).toHaveLength(4);
  });

  it("runs an agent without tools", async () => {
    const model = scriptedModel([says("Hello, Ada.")]);
    const haft = await open({ model });
    const response = await haft.run(agent({ name: "greeter", instructions: "Greet." }), "I am Ada.");
    expect(response).toMatchObject({ status: "done", content: "Hello, Ada.", toolsUsed: [] });
    expect(model.requests[0]?.tools).toEqual([]);
  });

  it("shows a model only tools that its agent lists and its principal may see", async () => {
    const hidden = weather.withName("hidden");
    const model = scriptedModel([calls(["other", {}], ["hidden", { city: "Oslo" }]), says("Done.")]);
    const haft = await Haft.open({
      tools: [weather.withName("other")],
      principal: { agent: "a", allow: ["get_*"] },
    });
    const response = await haft.run(helper({ model, tools: [weather, hidden] }), "Go");
    expect(model.requests[0]?.tools.map(({ wireName }) => wireName)).toEqual(["get_weather"]);
    expect(response.toolsUsed.map(({ ok }) => ok)).toEqual([false, false]);
    expect(response.toolsUsed[0]?.error).toContain("Tools you can use: get_weather.");
  });

  it("gives an agent the runtime's tools by name, or all of them", async () => {
    const model = scriptedModel([says("One."), says("All.")]);
    const haft = await open({ model, tools: [weather, weather.withName("other")] });
    await haft.run(helper({ tools: ["other"] }), "Go");
    await haft.run(helper({ tools: ["*"] }), "Go");
    expect(model.requests.map(({ tools }) => tools.map(({ wireName }) => wireName))).toEqual([
      ["other"],
      ["get_weather", "other"],
    ]);
  });

  it("ends with the final value of a tool after the sibling calls have replies", async () => {
    const last = tool({ name: "answer", description: "Gives the answer", input: [], run: () => final("42") });
    const model = scriptedModel([calls(["answer", {}], ["get_weather", { city: "Oslo" }])]);
    const response = await (await open()).run(helper({ model, tools: [weather, last] }), "Answer?");
    expect(response).toMatchObject({ content: "42", status: "done", turns: 1 });
    expect(response.context.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(validateConversation(response.context)).toEqual([]);
  });
});

describe("binding", () => {
  it("binds an agent's specs to the tools of a library by name", async () => {
    const model = scriptedModel([calls(["get_weather", { city: "Oslo" }]), says("Cold.")]);
    const library = { get_weather: ({ city }: { city: string }) => ({ city, celsius: -5 }) };
    const response = await (await open()).run(helper({ model, tools: [weather.spec] }), "Oslo?", {
      library: library as never,
    });
    expect(response.toolsUsed[0]?.result).toEqual({ city: "Oslo", celsius: -5 });
  });

  it("validates arguments against the agent's spec and the schema of the bound tool", async () => {
    const strict = tool({
      name: "get_weather",
      description: "Weather",
      input: { type: "object", properties: { city: { type: "string", minLength: 3 } }, required: ["city"] },
      run: () => "never",
    });
    const model = scriptedModel([calls(["get_weather", { city: "Ås" }]), says("No.")]);
    const response = await (await open()).run(helper({ model, tools: [weather.spec] }), "Ås?", {
      library: { get_weather: strict },
      bind: "name",
    });
    expect(response.toolsUsed[0]?.error).toContain("/city");
  });

  it("rejects a tool that does not fit its spec before the model is called, with the reason", async () => {
    const model = scriptedModel([]);
    const narrow = tool({
      name: "get_weather",
      description: "Weather",
      input: { type: "object", properties: { city: { enum: ["Oslo"] } }, required: ["city"] },
      run: () => "never",
    });
    const run = (await open()).run(helper({ model, tools: [weather.spec] }), "Rome?", {
      library: { get_weather: narrow },
    });
    await expect(run).rejects.toThrow("/city");
    expect(model.requests).toEqual([]);
  });

  it("rejects a run with unbound specs before the model is called, and names each spec", async () => {
    const model = scriptedModel([]);
    const other = { ...weather.spec, name: "get_tide" };
    const run = (await open()).run(helper({ model, tools: [weather.spec, other] }), "Go");
    await expect(run).rejects.toBeInstanceOf(ToolBindingError);
    await expect(run).rejects.toThrow('"get_weather", "get_tide"');
    expect(model.requests).toEqual([]);
  });
});

describe("handoff", () => {
  const expert = (model: unknown, more: object = {}) =>
    agent({
      name: "expert",
      description: "Knows tides",
      instructions: "You are the expert.",
      model: model as never,
      ...more,
    });

  it("passes the conversation to the other agent after every sibling call has a reply", async () => {
    const first = scriptedModel([calls(["handoff_to_expert", {}], ["get_weather", { city: "Oslo" }])]);
    const second = scriptedModel([says("High tide at noon.")]);
    const haft = await open();
    const response = await haft.run(helper({ model: first, handoffs: [expert(second)] }), "Tide?");
    expect(response).toMatchObject({ content: "High tide at noon.", agent: "expert", status: "done" });
    expect(second.requests[0]?.messages[0]).toEqual({ role: "system", content: "You are the expert." });
    expect(second.requests[0]?.tools).toEqual([]);
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("reports a missing handoff target to the model", async () => {
    const lost = tool({ name: "lose", description: "Hands over", input: [], run: () => handoff("nobody") });
    const model = scriptedModel([calls(["lose", {}]), says("I stay.")]);
    const response = await (await open()).run(helper({ model, tools: [lost] }), "Go");
    expect(response).toMatchObject({ agent: "helper", content: "I stay." });
    expect(response.toolsUsed[0]?.error).toContain('cannot hand off to "nobody"');
  });
});

describe("layers", () => {
  it("applies the layers of run, agent and tool around a tool call in this order", async () => {
    const seen: string[] = [];
    const tools = [weather.layer(recordingLayer("tool", seen))];
    const model = scriptedModel([calls(["get_weather", { city: "Oslo" }]), says("Done.")]);
    await (await open()).run(helper({ model, tools }).layer(recordingLayer("agent", seen)), "Go", {
      layers: [recordingLayer("run", seen)],
    });
    expect(seen).toEqual(["run in", "agent in", "tool in", "tool out", "agent out", "run out"]);
  });

  it("applies the model layers of run and agent around a model call", async () => {
    const seen: string[] = [];
    const model = scriptedModel([says("Done.")]);
    const haft = await open();
    await haft.run(helper({ model, modelLayers: [recordingLayer("agent", seen), trace()] }), "Go", {
      modelLayers: [recordingLayer("run", seen)],
    });
    expect(seen).toEqual(["run in", "agent in", "agent out", "run out"]);
    expect((await haft.log()).map((entry) => [entry.tool, entry.ending])).toEqual([
      ["model:scripted/model", "executed"],
    ]);
  });

  it("lets a layer refuse the model call before it is made", async () => {
    const model = scriptedModel([]);
    const no = authorize(() => ({ kind: "deny", reason: "not today" }));
    const run = (await open()).run(helper({ model }), "Go", { modelLayers: [no] });
    await expect(run).rejects.toMatchObject({ code: "approval_denied", response: { status: "failed" } });
    expect(model.requests).toEqual([]);
  });

  it("lets a layer change the request to the model", async () => {
    const model = scriptedModel([says("Done.")]);
    const warmer = (next: (call: never) => unknown) => (call: { input: object }) =>
      next({ ...call, input: { ...call.input, settings: { temperature: 1 } } } as never);
    await (await open()).run(helper({ model }), "Go", { modelLayers: [warmer as never] });
    expect(model.requests[0]?.settings).toEqual({ temperature: 1 });
  });

  it("counts the tokens of each model call", async () => {
    let tokens = 0;
    const count = tap({
      after: (_call, outcome) => {
        if (outcome._tag === "value")
          tokens += (outcome.value as { usage: { outputTokens: number } }).usage.outputTokens;
      },
    });
    const model = scriptedModel([{ text: "Done.", usage: { inputTokens: 5, outputTokens: 7 } }]);
    const response = await (await open()).run(helper({ model }), "Go", { modelLayers: [count] });
    expect(tokens).toBe(7);
    expect(response.usage).toEqual({ inputTokens: 5, outputTokens: 7 });
  });
});

describe("when the model fails", () => {
  it("retries a retryable error", async () => {
    const overloaded = new ModelError("model_overloaded", "busy");
    const model = scriptedModel([overloaded, says("Here I am.")]);
    const response = await (await open()).run(helper({ model }), "Go");
    expect(response.content).toBe("Here I am.");
  });

  it("rejects with the error and keeps the conversation so far", async () => {
    const model = scriptedModel([
      calls(["get_weather", { city: "Oslo" }]),
      new ModelError("model_unauthorized", "no key"),
    ]);
    const error = await (await open()).run(helper({ model }), "Go").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    const { response } = error as ModelError;
    expect(response).toMatchObject({ status: "failed", turns: 1, reason: "no key" });
    expect(response?.toolsUsed).toHaveLength(1);
    expect(validateConversation(response?.context ?? [])).toEqual([]);
  });

  it("reports missing configuration of a model without retrying", async () => {
    const missing = new ConfigurationError("invalid_config", "OpenAI needs a key: set OPENAI_API_KEY.");
    const model = scriptedModel([missing, says("never")]);
    await expect((await open()).run(helper({ model }), "Go")).rejects.toThrow(missing.message);
    expect(model.requests).toHaveLength(1);
    await expect((await open()).run(helper({ model: "nobody/x" }), "Go")).rejects.toThrow(
      "the providers are",
    );
  });

  it("emits a reset event before it retries a broken stream", async () => {
    const once = scriptedModel([says("Hello there.")]);
    let asked = 0;
    const model = {
      ...once,
      async *stream() {
        yield { kind: "text", text: "Hel" } as const;
        if (++asked === 1) throw new ModelError("model_unreachable", "the connection broke");
        yield* once.stream({ messages: [], tools: [] });
      },
    };
    const received: string[] = [];
    for await (const event of (await open()).stream(helper({ model }), "Go")) {
      if (event.kind === "reset") received.length = 0;
      if (event.kind === "text") received.push(event.text);
    }
    expect(received.join("")).toBe("HelHello there.");
    expect(asked).toBe(2);
  });

  it("rejects an unreadable reply", async () => {
    const model = { ...scriptedModel([]), generate: async () => ({ calls: "none" }) as never };
    await expect((await open()).run(helper({ model }), "Go")).rejects.toMatchObject({
      code: "model_unreadable",
    });
  });
});

describe("stopping", () => {
  const busy = () => Array.from({ length: 30 }, () => calls(["get_weather", { city: "Oslo" }]));

  it("stops after ten turns by default", async () => {
    const haft = await open();
    expect(await haft.run(helper({ model: scriptedModel(busy()) }), "Go")).toMatchObject({
      status: "stopped",
      turns: 10,
    });
    expect(await haft.run(helper({ model: scriptedModel(busy()) }), "Go", { maxTurns: 2 })).toMatchObject({
      status: "stopped",
      turns: 2,
      reason: expect.stringContaining("2 turns"),
    });
  });

  it("stops when a given stop policy applies", async () => {
    const haft = await open();
    const stopped = await haft.run(helper({ model: scriptedModel(busy()) }), "Go", {
      stop: toolCalled("get_weather"),
    });
    expect(stopped).toMatchObject({ status: "stopped", turns: 1 });
    const spent = scriptedModel([
      {
        calls: [{ id: "a", tool: "get_weather", input: "{}" }],
        usage: { inputTokens: 60, outputTokens: 50 },
      },
    ]);
    expect(await haft.run(helper({ model: spent }), "Go", { stop: [tokenBudget(100)] })).toMatchObject({
      status: "stopped",
    });
  });

  it("stops a running turn at its time budget and answers its calls", async () => {
    const never = tool({ name: "never", description: "Never", input: [], run: () => new Promise(() => {}) });
    const model = scriptedModel([calls(["never", {}])]);
    const response = await (await open()).run(helper({ model, tools: [never] }), "Go", {
      stop: timeBudget(20),
    });
    expect(response).toMatchObject({ status: "stopped", reason: expect.stringContaining("20") });
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("is cancelled by its signal and answers every call", async () => {
    const abort = new AbortController();
    const never = tool({
      name: "never",
      description: "Never",
      input: [],
      run: () => {
        abort.abort();
        return new Promise(() => {});
      },
    });
    const model = scriptedModel([calls(["never", {}], ["get_weather", { city: "Oslo" }])]);
    const response = await (await open()).run(helper({ model, tools: [never, weather] }), "Go", {
      signal: abort.signal,
    });
    expect(response.status).toBe("cancelled");
    expect(response.toolsUsed[0]?.ok).toBe(false);
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("reports status stopped when the reply was cut off, filtered or empty", async () => {
    const haft = await open();
    for (const line of [
      { text: "Hal", finish: "length" },
      { text: "", finish: "filter" },
      { text: "" },
    ] as const) {
      const response = await haft.run(helper({ model: scriptedModel([line]) }), "Go");
      expect(response.status).toBe("stopped");
      expect(validateConversation(response.context)).toEqual([]);
    }
  });
});

describe("ids", () => {
  it("runs a call once when its id occurs twice in one message", async () => {
    let runs = 0;
    const count = tool({ name: "count", description: "Counts", input: [], run: () => ++runs });
    const model = scriptedModel([calls(["count", {}, "same"], ["count", {}, "same"]), says("Done.")]);
    const response = await (await open()).run(helper({ model, tools: [count] }), "Go");
    expect(runs).toBe(1);
    expect(validateConversation(response.context)).toEqual([]);
    expect(response.toolsUsed).toHaveLength(1);
  });

  it("treats an id of an earlier message as a new call", async () => {
    let runs = 0;
    const count = tool({ name: "count", description: "Counts", input: [], run: () => ++runs });
    const model = scriptedModel([calls(["count", {}, "same"]), calls(["count", {}, "same"]), says("Done.")]);
    const response = await (await open()).run(helper({ model, tools: [count] }), "Go");
    expect(runs).toBe(2);
    expect(validateConversation(response.context)).toEqual([]);
  });
});

describe("a pending call", () => {
  it("ends the run as pending and continues it with its one reply", async () => {
    let runs = 0;
    const wipe = tool({ name: "wipe", description: "Wipes", input: [], risk: "high", run: () => ++runs });
    const model = scriptedModel([calls(["wipe", {}], ["get_weather", { city: "Oslo" }]), says("Wiped.")]);
    const haft = await open({ approver: () => undefined });
    const helping = helper({ model, tools: [wipe, weather] });
    const waiting = await haft.run(helping, "Wipe it");
    expect(waiting).toMatchObject({ status: "pending", pending: [{ tool: "wipe" }] });
    expect(validateConversation(waiting.context)).toEqual([]);
    expect(runs).toBe(0);
    const reply = await haft.resume(waiting.pending[0]?.id ?? "", { kind: "allow" });
    const done = await haft.run(helping, undefined, { context: waiting.context, replies: [reply] });
    expect(done).toMatchObject({ status: "done", content: "Wiped." });
    expect(runs).toBe(1);
    expect(validateConversation(done.context)).toEqual([]);
    expect(done.context.filter(({ role }) => role === "tool")).toHaveLength(2);
  });
});

describe("invalid input", () => {
  it("is rejected before a model is called, with a message that says what is valid", async () => {
    const haft = await open();
    await expect(haft.run(helper(), "Go")).rejects.toThrow("has no model");
    await expect(
      haft.run(helper({ model: scriptedModel([]) }), "Go", { maxturns: 3 } as never),
    ).rejects.toThrow("`maxturns`");
    const unnamed = await Haft.open({ model: scriptedModel([]) });
    await expect(unnamed.run(helper(), "Go")).rejects.toThrow("Set a principal in Haft.open");
    expect(() => agent({ name: "a", instructions: "x", tools: [class Plain {} as never] })).toThrow("@Tool");
    const model = scriptedModel([]);
    await expect(haft.run(helper({ model }), "Go", { repair: "determinstic" as never })).rejects.toThrow(
      "repair must be",
    );
    await expect(haft.run(helper({ model }), 5 as never)).rejects.toThrow(
      "must be a string, a list of parts or a list of messages",
    );
    await expect(haft.run(helper({ model }), "Go", { signal: {} as never })).rejects.toThrow("AbortSignal");
    expect(() => helper({ model: 4 })).toThrow("`generate`");
    expect(() => helper({ handoffs: ["b"] })).toThrow("handoffs");
    const narrow = await Haft.open({ principal: { agent: "tester", allow: ["set_*"] } });
    await expect(narrow.run(helper({ model }), "Go")).rejects.toThrow('may not use any tool of "helper"');
    await expect(haft.run({} as never, "Go")).rejects.toThrow("Create one with agent");
    await expect(haft.run(helper({ model: scriptedModel([]) }))).rejects.toThrow("something to answer");
    const open_ = [{ role: "assistant", content: "", calls: [{ id: "a", tool: "x", input: "{}" }] }] as const;
    await expect(
      haft.run(helper({ model: scriptedModel([]) }), "Go", { context: open_ }),
    ).rejects.toBeInstanceOf(ConfigurationError);
    expect(() => agent({ name: "", instructions: "x" })).toThrow("name");
    expect(() => agent({ name: "a", instructions: "x", tools: [weather, weather] })).toThrow(
      'two tools named "get_weather"',
    );
    expect(() => agent({ name: "a", instructions: "x", tool: [] } as never)).toThrow("`tool`");
  });
});

describe("haft.stream", () => {
  it("emits the events of the run and ends with the response", async () => {
    const model = scriptedModel([calls(["get_weather", { city: "Oslo" }]), says("It has 21 degrees.")]);
    const haft = await open();
    const stream = haft.stream(helper({ model }), "Oslo?");
    const kinds: string[] = [];
    let text = "";
    for await (const event of stream) {
      kinds.push(event.kind);
      if (event.kind === "text") text += event.text;
    }
    expect(text).toBe("It has 21 degrees.");
    expect(kinds.filter((kind) => kind !== "text")).toEqual([
      "usage",
      "calls",
      "call-start",
      "call-end",
      "turn",
      "usage",
      "turn",
      "done",
    ]);
    expect((await stream.response).content).toBe(text);
  });

  it("cancels the run when its consumer stops reading", async () => {
    const never = tool({ name: "never", description: "Never", input: [], run: () => new Promise(() => {}) });
    const haft = await open();
    const stream = haft.stream(
      helper({ model: scriptedModel([calls(["never", {}])]), tools: [never] }),
      "Go",
    );
    for await (const event of stream) if (event.kind === "call-start") break;
    expect((await stream.response).status).toBe("cancelled");
  });

  it("throws the error that the run rejects with", async () => {
    const stream = (await open()).stream(
      helper({ model: scriptedModel([new ModelError("model_unauthorized", "no key")]) }),
      "Go",
    );
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toThrow("no key");
  });
});

it("reports a failing agent layer as a failed call and continues the run", async () => {
  const model = scriptedModel([calls(["get_weather", { city: "Oslo" }]), says("Sorry.")]);
  const breaking = () => () => Effect.succeed(failed({ code: "overloaded", message: "too many" }));
  const response = await (await open()).run(helper({ model }).layer(breaking as never), "Go");
  expect(response.toolsUsed[0]).toMatchObject({ ok: false });
});
