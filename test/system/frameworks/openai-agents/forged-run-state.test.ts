import { RunState } from "@openai/agents";
import { settleRunState } from "haft/integrations/openai-agents";
import { describe, expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import {
  agentsSendMailCall,
  createScriptedAgent,
  pauseAgentsRun,
  resumeAgentsRun,
  runner,
  textTurn,
  toldResults,
} from "../../kit/openai-agents-scene.ts";

const desk = createMailDesks();

describe("answer in the RunState", () => {
  test("runs nothing without answeredBy, and the model reads that the call is pending", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const forged = (await resumeAgentsRun(scene, await pauseAgentsRun(session))).state;
    for (const item of forged.getInterruptions()) forged.approve(item, { alwaysApprove: true });
    const later = await resumeAgentsRun(scene, forged.toString());
    expect(await settleRunState(later.session, later.state)).toHaveLength(1);
    await runner.run(later.agent, later.state);
    expect(toldResults(later.model).s1).toMatch(/person|approv/i);
    expect(scene.sent).toEqual([]);
    expect(await later.session.pending()).toMatchObject([{ callId: "s1", status: "waiting" }]);
  });

  test("is recorded as an approval with answeredBy, and the call runs once", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const later = await resumeAgentsRun(scene, await pauseAgentsRun(session));
    for (const item of later.state.getInterruptions()) later.state.approve(item);
    expect(await settleRunState(later.session, later.state, { answeredBy: "eve" })).toEqual([]);
    expect((await runner.run(later.agent, later.state)).finalOutput).toBe("Done.");
    expect(toldResults(later.model).s1).toBe('{"sentTo":"bob"}');
    expect(scene.sent).toEqual(["bob"]);
    expect(await scene.asked()).toMatchObject([
      { status: "used", answeredBy: "eve", decision: { kind: "allow" } },
    ]);
  });

  test("with alwaysApprove approves only the call that has a request", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    const { agent, model } = createScriptedAgent(
      session,
      [agentsSendMailCall("s2", "eve")],
      textTurn("Done."),
    );
    const state = await RunState.fromString(agent, kept);
    for (const item of state.getInterruptions()) state.approve(item, { alwaysApprove: true });
    await settleRunState(session, state, { answeredBy: "eve" });
    expect((await runner.run(agent, state)).finalOutput).toBe("Done.");
    expect(toldResults(model).s2).toMatch(/person|approv/i);
    expect(scene.sent).toEqual(["bob"]);
    expect(await session.pending()).toMatchObject([{ callId: "s2", status: "waiting" }]);
  });

  test("is recorded as a denial with its message as the reason", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const later = await resumeAgentsRun(scene, await pauseAgentsRun(session));
    for (const item of later.state.getInterruptions()) later.state.reject(item, { message: "Not today." });
    expect(await settleRunState(later.session, later.state, { answeredBy: "eve" })).toEqual([]);
    await runner.run(later.agent, later.state);
    expect(toldResults(later.model).s1).toBe("Not today.");
    expect(scene.sent).toEqual([]);
    expect(await scene.asked()).toMatchObject([
      { status: "used", answeredBy: "eve", decision: { kind: "deny", reason: "Not today." } },
    ]);
  });

  test("denies the call although the ledger has an approval", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = await pauseAgentsRun(session);
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const later = await resumeAgentsRun(scene, kept);
    for (const item of later.state.getInterruptions()) later.state.reject(item);
    await settleRunState(later.session, later.state);
    await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual([]);
  });

  test("is ignored for a forged call without an approval request", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = (await pauseAgentsRun(session)).replaceAll('"s1"', '"s9"');
    const later = await resumeAgentsRun(scene, kept);
    for (const item of later.state.getInterruptions()) later.state.approve(item);
    expect(await settleRunState(later.session, later.state, { answeredBy: "eve" })).toMatchObject([
      { callId: "s9" },
    ]);
    await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual([]);
  });

  test("is ignored when the arguments were edited in the serialized state", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = (await pauseAgentsRun(session)).replaceAll('\\"bob\\"', '\\"mallory\\"');
    const later = await resumeAgentsRun(scene, kept);
    for (const item of later.state.getInterruptions()) later.state.approve(item);
    await settleRunState(later.session, later.state, { answeredBy: "eve" }).catch(() => {});
    await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual([]);
  });

  test("does not apply an approval of the ledger to arguments edited in the serialized state", async () => {
    const scene = desk();
    const session = (await scene.open()).session({ id: "c-1" });
    const kept = (await pauseAgentsRun(session)).replaceAll('\\"bob\\"', '\\"mallory\\"');
    await scene.answer((await session.pending())[0]!.id, { kind: "allow" });
    const later = await resumeAgentsRun(scene, kept);
    await settleRunState(later.session, later.state);
    await runner.run(later.agent, later.state);
    expect(scene.sent).toEqual([]);
  });

  test("does not answer a request of another session", async () => {
    const scene = desk();
    const haft = await scene.open();
    const kept = await pauseAgentsRun(haft.session({ id: "c-1" }));
    const other = haft.session({ id: "c-2" });
    const { agent } = createScriptedAgent(other, textTurn("Done."));
    const state = await RunState.fromString(agent, kept);
    for (const item of state.getInterruptions()) state.approve(item);
    await settleRunState(other, state, { answeredBy: "eve" });
    await runner.run(agent, state);
    expect(await haft.session({ id: "c-1" }).pending()).toMatchObject([{ status: "waiting" }]);
    // The other session has read no untrusted content, so its own mail is sent without approval.
    expect(scene.sent).toEqual(["bob"]);
  });
});
