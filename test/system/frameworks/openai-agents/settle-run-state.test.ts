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

describe("pending call", () => {
  test("is an interruption, which settleRunState reports with the request of the ledger", async () => {
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

  test("resumes in another process after an approval in the ledger, and runs once", async () => {
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

  test("resumes after an approval in the ledger without settleRunState", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const later = await resumeAgentsRun(scene, kept);
    expect((await runner.run(later.agent, later.state)).finalOutput).toBe("Done.");
    expect(scene.sent).toEqual(["bob"]);
  });

  test("is replayed when the same stored state runs again", async () => {
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

  test("runs once when two loops resume the same state at the same time", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const loops = await Promise.all([resumeAgentsRun(scene, kept), resumeAgentsRun(scene, kept)]);
    await Promise.all(loops.map(({ agent, state }) => runner.run(agent, state)));
    expect(scene.sent).toEqual(["bob"]);
    for (const { model } of loops) expect(toldResults(model).s1).toBe('{"sentTo":"bob"}');
  });

  test("pauses again with the same request while it is unanswered", async () => {
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

  test("returns the reason of a denial in the ledger", async () => {
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

  test("runs with the edited arguments of the ledger", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "edit", input: { to: "carol" } });
    const later = await resumeAgentsRun(scene, kept);
    await settleRunState(later.session, later.state);
    await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual(["carol"]);
  });

  test("is answered independently of another call of the same message", async () => {
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

  test("pauses and resumes inside an agent used as a tool", async () => {
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
  test("ignores a tool of the same name that is not of the session", async () => {
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

  test("ignores a name that the agent has both from the session and of its own", async () => {
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

  test("ignores calls of another session", async () => {
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

  test("recognizes a tool of the session inside a namespace", async () => {
    const session = (await desk().open()).session({ id: "c-1" });
    await session.turn([{ id: "r1", tool: "read_page", input: { url: "a.example" } }]);
    const tools = toolNamespace({ name: "mail", description: "Mail.", tools: toOpenAiAgentsTools(session) });
    const call = functionCall("send_mail", { to: "bob" }, { callId: "s1", namespace: "mail" });
    const agent = new Agent({ name: "desk", model: new ScriptedModel([[call]]), tools: [...tools] });
    const { state } = await runner.run(agent, "Go.");
    expect(await settleRunState(session, state)).toMatchObject([{ callId: "s1", tool: "send_mail" }]);
  });

  test("records a call whose arguments are not valid JSON", async () => {
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

test("a new message while a call is pending gets an answer, and the paused state still runs the call once", async () => {
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
