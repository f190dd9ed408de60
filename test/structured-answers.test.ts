import { agent, final, Haft, type Message, tool } from "haft";
import { validateConversation } from "haft/agent";
import { offline } from "haft/models";
import type { ScriptLine } from "haft/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { calls, says, scriptedModel } from "./kit/scripted-model.ts";

const principal = { agent: "tester", allow: ["*"] };
const output = z.object({ city: z.string(), celsius: z.number().int(), windy: z.boolean().optional() });
const fits = { city: "Oslo", celsius: 21 };
const json = JSON.stringify(fits);

const weather = tool({
  name: "get_weather",
  description: "Weather of a city",
  input: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  run: ({ city }) => ({ city, celsius: 21 }),
});

const held = (script: readonly ScriptLine[]) => scriptedModel(script, { takesOutput: () => true });

const reporter = (more: object = {}) =>
  agent({ name: "reporter", instructions: "Report.", tools: [weather], output, ...more });

const open = () => Haft.open({ principal, tools: [weather] });

describe("an agent with an output", () => {
  it("answers with a typed value that its provider enforced, also after tool calls", async () => {
    const haft = await open();
    const model = held([calls(["get_weather", { city: "Oslo" }]), says(json)]);
    const response = await haft.run(reporter(), "Weather in Oslo?", { model });
    expect(response).toMatchObject({ status: "done", output: fits, content: json, turns: 2 });
    expect(response.output!.celsius + 1).toBe(22);
    expect(response.outputChanges).toBeUndefined();
    for (const { output: asked, tools } of model.requests) {
      expect(asked?.spec.input).toMatchObject({ required: ["city", "celsius"] });
      expect(tools.map(({ wireName }) => wireName)).toEqual(["get_weather"]);
    }
  });

  it("answers by a required call if its provider enforces no schema, and the call is kept as text", async () => {
    const haft = await open();
    const model = scriptedModel([calls(["get_weather", { city: "Oslo" }]), calls(["final_answer", fits])]);
    const response = await haft.run(reporter(), "Weather in Oslo?", { model });
    expect(response).toMatchObject({ status: "done", output: fits, content: json });
    expect(response.toolsUsed.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(model.requests.map(({ settings }) => settings?.toolChoice)).toEqual(["required", "required"]);
    expect(model.requests[0]?.tools.map(({ wireName }) => wireName)).toEqual(["get_weather", "final_answer"]);
    expect(response.context.at(-1)).toMatchObject({ role: "assistant", content: json });
    expect(validateConversation(response.context)).toEqual([]);
    const log = await haft.log();
    expect(log.map((entry) => entry.tool).filter((name) => !name.startsWith("model:"))).toEqual([
      "get_weather",
    ]);
  });

  it("ignores an answer next to other calls, because it was given before their results", async () => {
    const haft = await open();
    const model = scriptedModel([
      calls(["get_weather", { city: "Oslo" }], ["final_answer", { city: "?", celsius: 0 }]),
      calls(["final_answer", fits]),
    ]);
    const response = await haft.run(reporter(), "Weather?", { model });
    expect(response).toMatchObject({ status: "done", output: fits, turns: 2 });
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("renames its answer tool if another tool has that name", async () => {
    const mine = tool({ name: "final_answer", description: "Mine", input: [], run: () => "mine" });
    const haft = await Haft.open({ principal, tools: [mine] });
    const model = scriptedModel([calls(["final_answer", {}]), calls(["final_answer_", fits])]);
    const response = await haft.run(reporter({ tools: [mine] }), "Go", { model });
    expect(response).toMatchObject({ status: "done", output: fits });
    expect(response.toolsUsed).toMatchObject([{ name: "final_answer", ok: true, result: "mine" }]);
  });

  it("requests a correction of an invalid answer with the reason, and allows no other call meanwhile", async () => {
    const haft = await open();
    const model = held([says('{"city":"Oslo"}'), says("I do not know."), says(json)]);
    const response = await haft.run(reporter(), "Weather?", { model });
    expect(response).toMatchObject({ status: "done", output: fits, turns: 3 });
    const corrections = response.context
      .filter((message): message is Message => message.role === "user")
      .slice(1);
    expect(corrections.map(({ content }) => content)).toEqual([
      expect.stringContaining("celsius"),
      expect.stringContaining("it is not JSON"),
    ]);
    expect(model.requests.map(({ settings }) => settings?.toolChoice)).toEqual([undefined, "none", "none"]);
    expect(validateConversation(response.context)).toEqual([]);
  });

  it("requests a correction by a forced call, and at last without tools if the provider enforces only that", async () => {
    const haft = await open();
    const alone = (_: unknown, tools: readonly unknown[]) => tools.length === 0;
    const model = scriptedModel([says("Warm."), says("Quite warm."), says(json)], { takesOutput: alone });
    const response = await haft.run(reporter(), "Weather?", { model });
    expect(response).toMatchObject({ status: "done", output: fits });
    expect(model.requests.map(({ settings }) => settings?.toolChoice)).toEqual([
      "required",
      { tool: "final_answer" },
      undefined,
    ]);
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([2, 2, 0]);
    expect(model.requests[2]?.output?.wireName).toBe("final_answer");
  });

  it("stops with the reason after three invalid answers, without an output", async () => {
    const haft = await open();
    const wrong = says('{"city":"Oslo","celsius":21.5}');
    const response = await haft.run(reporter(), "Weather?", { model: held([wrong, wrong, wrong]) });
    expect(response).toMatchObject({ status: "stopped", turns: 3, content: wrong.text });
    expect(response.reason).toContain("After 3 requests");
    expect(response.reason).toContain("celsius");
    expect("output" in response).toBe(false);
  });

  it("takes no output from a reply that was cut off, filtered or refused, even if it looks complete", async () => {
    const haft = await open();
    for (const finish of ["length", "filter", "refusal"] as const) {
      const response = await haft.run(reporter(), "Weather?", { model: held([{ text: json, finish }]) });
      expect(response.status).toBe("stopped");
      expect("output" in response).toBe(false);
    }
    for (const finish of ["length", "filter", "refusal"] as const) {
      const called = scriptedModel([{ ...calls(["final_answer", json])({} as never, 1), finish }]);
      const response = await haft.run(reporter(), "Weather?", { model: called });
      expect(response.status).toBe("stopped");
      expect("output" in response).toBe(false);
    }
    const [cut] = calls(["final_answer", json])({} as never, 1).calls!;
    const model = scriptedModel([{ calls: [{ ...cut!, finish: "incomplete" }] }]);
    const response = await haft.run(reporter(), "Weather?", { model });
    expect(response).toMatchObject({ status: "stopped", reason: expect.stringContaining("cut off") });
    expect("output" in response).toBe(false);
  });

  it("treats an empty reply as no answer, even if the schema accepts an empty object", async () => {
    const haft = await open();
    const lenient = z.object({ approved: z.boolean().default(true), note: z.string().optional() });
    const judge = reporter({ output: lenient, tools: [] });
    const silent = [says(""), says("  \n"), says("")];
    for (const model of [
      held(silent),
      scriptedModel(["", " ", "\n"].map((text) => calls(["final_answer", text]))),
    ]) {
      const response = await haft.run(judge, "May they?", { model });
      expect(response).toMatchObject({ status: "stopped", reason: expect.stringContaining("it is empty") });
      expect("output" in response).toBe(false);
    }
    const said = await haft.run(judge, "May they?", { model: held([says("{}")]) });
    expect(said.output).toEqual({ approved: true });
  });

  it("requests its answer at most two more times, and makes no call that comes instead", async () => {
    let ran = 0;
    const danger = tool({ name: "danger", description: "Does harm", input: [], run: () => (ran += 1) });
    const haft = await Haft.open({ principal, tools: [danger] });
    for (const takesOutput of [undefined, () => true] as const) {
      const script = [says("No."), calls(["danger", {}]), calls(["danger", {}])];
      const model = scriptedModel(script, takesOutput === undefined ? {} : { takesOutput });
      const response = await haft.run(reporter({ tools: [danger] }), "Go", { model });
      expect(response).toMatchObject({
        status: "stopped",
        turns: 3,
        reason: expect.stringContaining("After 3 requests"),
      });
      expect(validateConversation(response.context)).toEqual([]);
    }
    expect(ran).toBe(0);
  });

  it("repairs an answer once by the rules of stage 1 and reports it, unless the run forbids repairs", async () => {
    const haft = await open();
    const fenced = says('```json\n{"city":"Oslo","celsius":"21"}\n```');
    const response = await haft.run(reporter(), "Weather?", { model: held([fenced]) });
    expect(response).toMatchObject({ status: "done", output: fits });
    expect(response.outputChanges?.length).toBeGreaterThan(0);
    const strict = await haft.run(reporter(), "Weather?", {
      model: held([fenced, says(json)]),
      repair: "off",
    });
    expect(strict).toMatchObject({ status: "done", output: fits, turns: 2 });
  });

  it("returns the value as transformed by the author's schema", async () => {
    const haft = await open();
    const dated = agent({
      name: "dated",
      instructions: "Say when.",
      output: z.object({
        at: z.string().transform((text) => text.length),
        tags: z.array(z.string()).default(["none"]),
      }),
    });
    const response = await haft.run(dated, "When?", { model: held([says('{"at":"noon"}')]) });
    expect(response.output).toEqual({ at: 4, tags: ["none"] });
  });

  it("may return a list, a text or a number, which the model wraps in an object", async () => {
    const haft = await open();
    const lister = agent({ name: "lister", instructions: "List.", output: z.array(z.string()) });
    const model = held([says('{"answer":["a",1]}'), says('{"answer":["a","b"]}')]);
    const response = await haft.run(lister, "List", { model });
    expect(response.output).toEqual(["a", "b"]);
    expect(model.requests[0]?.output?.spec.input).toMatchObject({ required: ["answer"] });
    const counter = agent({ name: "counter", instructions: "Count.", output: { type: "integer" } as const });
    expect((await haft.run(counter, "Count", { model: held([says('{"answer":3}')]) })).output).toBe(3);
  });

  it("validates the final value of a tool, and reports a value that does not fit", async () => {
    const ending = (value: unknown) =>
      tool({
        name: "finish",
        description: "Ends",
        input: [],
        annotations: { readOnly: true },
        run: () => final(value),
      });
    const run = async (value: unknown) => {
      const finish = ending(value);
      const haft = await Haft.open({ principal, tools: [finish] });
      return haft.run(reporter({ tools: [finish] }), "Go", { model: held([calls(["finish", {}])]) });
    };
    expect(await run(fits)).toMatchObject({ status: "done", output: fits });
    const wrong = await run("21 degrees");
    expect(wrong).toMatchObject({ status: "stopped", reason: expect.stringContaining("does not fit") });
    expect("output" in wrong).toBe(false);
  });

  it("returns the output of the requested agent, even if another agent answers", async () => {
    const other = agent({ name: "other", instructions: "Answer.", output: z.object({ other: z.string() }) });
    const model = held([calls(["handoff_to_other", {}]), says(json)]);
    const haft = await Haft.open({ principal });
    const first = agent({ name: "first", instructions: "Hand over.", output, handoffs: [other] });
    const response = await haft.run(first, "Go", { model });
    expect(response).toMatchObject({ agent: "other", status: "done", output: fits });
  });

  it("returns its output also after the run was pending", async () => {
    const send = tool({
      name: "send",
      description: "Sends",
      input: [],
      requiresApproval: true,
      run: () => "sent",
    });
    const haft = await Haft.open({ principal, tools: [send], approver: () => undefined });
    const model = held([calls(["send", {}]), says("Sent."), says(json)]);
    const asked = reporter({ tools: [send], model });
    const waiting = await haft.run(asked, "Send");
    expect(waiting).toMatchObject({ status: "pending" });
    expect("output" in waiting).toBe(false);
    await haft.resume(waiting.pending[0]!.id, { kind: "allow" });
    const response = await haft.run(asked, undefined, { resume: waiting.runId });
    expect(response).toMatchObject({ status: "done", output: fits, turns: 3 });
  });

  it("is refused if its schema is invalid, with an error that names the agent", () => {
    expect(() => agent({ name: "a", instructions: "b", output: 5 as never })).toThrow(/output.*"a".*schema/s);
    expect(() =>
      agent({ name: "a", instructions: "b", output: { type: "array", items: { $ref: "#" } } }),
    ).toThrow(/cannot reference its root/);
  });
});

it("is answered by the offline planner with the results of tools", async () => {
  const haft = await open();
  const response = await haft.run(reporter(), "What is the weather in Oslo?", { model: offline() });
  expect(response).toMatchObject({ status: "done", output: fits });
  expect(response.toolsUsed).toMatchObject([{ name: "get_weather", ok: true }]);
  const poet = agent({ name: "poet", instructions: "Write.", output: z.object({ poem: z.string() }) });
  const silent = await haft.run(poet, "Hm.", { model: offline() });
  expect(silent).toMatchObject({ status: "stopped", reason: expect.stringContaining("does not match") });
});

describe("a streamed answer", () => {
  it("is emitted as it grows, and starts again when the model is called again", async () => {
    const haft = await open();
    const model = held([
      says('{"city": "Oslo", "celsius": "many"}'),
      says('{"city": "Oslo", "celsius": 21}'),
    ]);
    const stream = haft.stream(reporter(), "Weather?", { model });
    const seen: unknown[] = [];
    for await (const event of stream) {
      if (event.kind === "output") seen.push(event.value);
      if (event.kind === "reset") seen.push(event.reason);
    }
    expect(seen).toEqual([
      {},
      { city: "Oslo" },
      { city: "Oslo", celsius: "many" },
      "the answer did not match",
      {},
      { city: "Oslo" },
      { city: "Oslo", celsius: 21 },
    ]);
    expect((await stream.response).output).toEqual(fits);
  });
});
