import { Agent, RunState, tool, toolNamespace, user } from "@openai/agents";
import { functionCall, ScriptedModel, type ScriptedModelInput } from "@openai/agents/testing";
import { settleRunState, toOpenAiAgentsTools } from "haft/integrations/openai-agents";
import { describe, expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import {
  agentsReadPageCall,
  agentsSendMailCall,
  createScriptedAgent,
  pauseAgentsRun,
  resumeAgentsRun,
  runner,
  textTurn,
  toldResults,
} from "../../kit/openai-agents-scene.ts";

const desk = createMailDesks();

describe("a call that waits for a person", () => {
  test("is an interruption, whose question settleRunState tells as it is in the ledger", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const { agent } = createScriptedAgent(session, [agentsReadPageCall()], [agentsSendMailCall()]);
    const { state } = await runner.run(agent, "Go.");
    const [asked] = await session.pending();
    expect(await settleRunState(session, state)).toEqual([
      { approvalId: asked!.id, callId: "s1", tool: "send_mail", input: { to: "bob" }, reason: asked!.reason },
    ]);
    expect(scene.sent).toEqual([]);
  });

  test("goes on in another process once the ledger has a yes, and is made once", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const later = await resumeAgentsRun(scene, kept);
    expect(await settleRunState(later.session, later.state)).toEqual([]);
    expect((await runner.run(later.agent, later.state)).finalOutput).toBe("Done.");
    expect(toldResults(later.model).s1).toBe('{"sentTo":"bob"}');
    expect(scene.sent).toEqual(["bob"]);
    expect(await later.session.pending()).toEqual([]);
  });

  test("goes on with a yes of the ledger also where nobody settled the state", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const later = await resumeAgentsRun(scene, kept);
    expect((await runner.run(later.agent, later.state)).finalOutput).toBe("Done.");
    expect(scene.sent).toEqual(["bob"]);
  });

  test("is not made again from the same kept state, however often it is run", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    for (let time = 0; time < 3; time++) {
      const later = await resumeAgentsRun(scene, kept);
      await settleRunState(later.session, later.state);
      await runner.run(later.agent, later.state);
      expect(toldResults(later.model).s1).toBe('{"sentTo":"bob"}');
    }
    expect(scene.sent).toEqual(["bob"]);
  });

  test("is not made twice by two loops that go on from the same state at the same time", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const loops = await Promise.all([resumeAgentsRun(scene, kept), resumeAgentsRun(scene, kept)]);
    await Promise.all(loops.map(({ agent, state }) => runner.run(agent, state)));
    expect(scene.sent).toEqual(["bob"]);
    for (const { model } of loops) expect(toldResults(model).s1).toBe('{"sentTo":"bob"}');
  });

  test("pauses again with the same question while nobody answered", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    const asked = await session.pending();
    const later = await resumeAgentsRun(scene, kept);
    expect(await settleRunState(later.session, later.state)).toMatchObject([{ approvalId: asked[0]!.id }]);
    const again = await runner.run(later.agent, later.state);
    expect(again.interruptions).toHaveLength(1);
    expect((await later.session.pending()).map(({ id }) => id)).toEqual([asked[0]!.id]);
    expect(scene.sent).toEqual([]);
  });

  test("is told in the session's words when the ledger has a no", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "deny", reason: "Not to Bob." });
    const later = await resumeAgentsRun(scene, kept);
    await settleRunState(later.session, later.state);
    await runner.run(later.agent, later.state);
    expect(toldResults(later.model).s1).toContain("Not to Bob.");
    expect(scene.sent).toEqual([]);
    expect(await later.session.pending()).toEqual([]);
  });

  test("goes on with the arguments that the ledger has instead", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "edit", input: { to: "carol" } });
    const later = await resumeAgentsRun(scene, kept);
    await settleRunState(later.session, later.state);
    await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual(["carol"]);
  });

  test("waits beside another of the same message, and each goes its own way", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(
      session,
      agentsSendMailCall("s1", "bob"),
      agentsSendMailCall("s2", "eve"),
    );
    const asked = await session.pending();
    await scene.answer(asked.find(({ callId }) => callId === "s2")!.id, { kind: "allow" });
    const later = await resumeAgentsRun(scene, kept);
    expect(await settleRunState(later.session, later.state)).toMatchObject([{ callId: "s1" }]);
    const again = await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual(["eve"]);
    expect(again.interruptions.map(({ rawItem }) => (rawItem as { callId: string }).callId)).toEqual(["s1"]);
    await scene.answer(asked.find(({ callId }) => callId === "s1")!.id, { kind: "allow" });
    expect((await runner.run(later.agent, again.state)).finalOutput).toBe("Done.");
    expect(scene.sent).toEqual(["eve", "bob"]);
  });

  test("waits inside an agent that is a tool of another, and goes on there", async () => {
    const scene = desk();
    const open = async (...turns: ScriptedModelInput[]) => {
      const session = (await scene.open()).session({ id: "c-1" });
      const { agent: inner } = createScriptedAgent(session, ...turns);
      const ask = inner.asTool({ toolName: "ask_desk", toolDescription: "Asks the desk." });
      return { session, ask };
    };
    const first = await open([agentsReadPageCall()], [agentsSendMailCall()]);
    const outer = (ask: typeof first.ask, ...turns: ScriptedModelInput[]) =>
      new Agent({ name: "boss", model: new ScriptedModel(turns), tools: [ask] });
    const asking = functionCall("ask_desk", { input: "Go." }, { callId: "a1" });
    const { state } = await runner.run(outer(first.ask, [asking]), "Go.");
    const [waiting] = await settleRunState(first.session, state);
    await scene.answer(waiting!.approvalId, { kind: "allow" });
    const second = await open(textTurn("Sent."));
    const boss = outer(second.ask, textTurn("All done."));
    const restored = await RunState.fromString(boss, state.toString());
    expect(await settleRunState(second.session, restored)).toEqual([]);
    expect((await runner.run(boss, restored)).finalOutput).toBe("All done.");
    expect(scene.sent).toEqual(["bob"]);
  });
});

describe("settleRunState", () => {
  test("leaves a tool alone that is not of the session, even under the same name", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const own = tool({
      name: "send_mail",
      description: "Sends a mail by itself.",
      strict: false,
      parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
      needsApproval: true,
      execute: () => "sent",
    });
    const agent = new Agent({
      name: "other",
      model: new ScriptedModel([[agentsSendMailCall()]]),
      tools: [own],
    });
    const { state, interruptions } = await runner.run(agent, "Go.");
    expect(await settleRunState(session, state, { answeredBy: "eve" })).toEqual([]);
    expect(state._context.isToolApproved({ toolName: "send_mail", callId: "s1" })).toBeUndefined();
    expect(interruptions).toHaveLength(1);
  });

  test("leaves a tool alone where an agent has one of the session and one of its own under the same name", async () => {
    const session = (await desk().open()).session();
    const parameters = {
      type: "object" as const,
      properties: {},
      required: [],
      additionalProperties: true as const,
    };
    const about = { name: "send_mail", description: "Sends by itself.", strict: false as const, parameters };
    const own = tool({ ...about, needsApproval: true, execute: () => "sent" });
    const tools = toolNamespace({ name: "mail", description: "Mail.", tools: toOpenAiAgentsTools(session) });
    const agent = new Agent({
      name: "desk",
      model: new ScriptedModel([[agentsSendMailCall()]]),
      tools: [...tools, own],
    });
    const { state } = await runner.run(agent, "Go.");
    await settleRunState(session, state);
    expect(state._context.isToolApproved({ toolName: "send_mail", callId: "s1" })).toBeUndefined();
  });

  test("leaves the calls of another session alone", async () => {
    const haft = await desk().open();
    const { agent } = createScriptedAgent(
      haft.session({ id: "c-1" }),
      [agentsReadPageCall()],
      [agentsSendMailCall()],
    );
    const { state } = await runner.run(agent, "Go.");
    expect(await settleRunState(haft.session({ id: "c-2" }), state)).toEqual([]);
    expect(state._context.isToolApproved({ toolName: "send_mail", callId: "s1" })).toBeUndefined();
  });

  test("knows a tool of the session again inside a namespace", async () => {
    const session = (await desk().open()).session({ id: "c-1" });
    await session.turn([{ id: "r1", tool: "read_page", input: { url: "a.example" } }]);
    const tools = toolNamespace({ name: "mail", description: "Mail.", tools: toOpenAiAgentsTools(session) });
    const call = functionCall("send_mail", { to: "bob" }, { callId: "s1", namespace: "mail" });
    const agent = new Agent({ name: "desk", model: new ScriptedModel([[call]]), tools: [...tools] });
    const { state } = await runner.run(agent, "Go.");
    expect(await settleRunState(session, state)).toMatchObject([{ callId: "s1", tool: "send_mail" }]);
  });

  test("goes past arguments that the SDK cannot read and paused at, and puts the call on record", async () => {
    const scene = desk();
    const haft = await scene.open();
    const session = haft.session();
    const broken = { ...agentsSendMailCall(), arguments: '{"to": [' };
    const { agent, model } = createScriptedAgent(session, [broken], textTurn("Sorry."));
    const { state, interruptions } = await runner.run(agent, "Go.");
    expect(interruptions).toHaveLength(1);
    expect(await settleRunState(session, state)).toEqual([]);
    expect((await runner.run(agent, state)).finalOutput).toBe("Sorry.");
    expect(toldResults(model).s1).toContain("parsing tool arguments");
    expect(await haft.log()).toMatchObject([{ callId: "s1" }]);
    expect(scene.sent).toEqual([]);
  });
});

test("a user may write again while a call waits: the SDK leaves the call out, and its state still runs it once", async () => {
  const scene = desk();
  const session = (await scene.open()).session({ id: "c-1" });
  const { agent, model } = createScriptedAgent(
    session,
    [agentsReadPageCall()],
    [agentsSendMailCall()],
    textTurn("Still here."),
    textTurn("Done."),
  );
  const { state } = await runner.run(agent, "Go.");
  const { finalOutput } = await runner.run(agent, [...state.history, user("Are you there?")]);
  expect(finalOutput).toBe("Still here.");
  expect(JSON.stringify(model.calls.at(-1)?.request.input)).not.toContain("s1");
  const [asked] = await session.pending();
  await scene.answer(asked!.id, { kind: "allow" });
  expect(await settleRunState(session, state)).toEqual([]);
  await runner.run(agent, state);
  expect(scene.sent).toEqual(["bob"]);
});
