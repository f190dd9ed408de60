import { RunContext } from "@openai/agents";
import { functionCall } from "@openai/agents/testing";
import { toOpenAiAgentsTools } from "haft/integrations/openai-agents";
import { describe, expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import {
  agentsReadPageCall,
  agentsSendMailCall,
  createScriptedAgent,
  runner,
  textTurn,
  toldResults,
} from "../../kit/openai-agents-scene.ts";

const desk = createMailDesks();

describe("session tools in the OpenAI Agents SDK loop", () => {
  test("return the replies of the session under the SDK's call ids, in one run of the ledger", async () => {
    const haft = await desk().open();
    const session = haft.session({ id: "c-1" });
    const { agent, model } = createScriptedAgent(
      session,
      [agentsSendMailCall("s0", "eve"), agentsReadPageCall("r0")],
      textTurn("Done."),
    );
    const { finalOutput } = await runner.run(agent, "Go.");
    expect(finalOutput).toBe("Done.");
    expect(toldResults(model)).toEqual({
      s0: '{"sentTo":"eve"}',
      r0: expect.stringContaining("Words of a.example"),
    });
    const log = await haft.log();
    expect(log.map(({ callId }) => callId).sort()).toEqual(["r0", "s0"]);
    expect(new Set(log.map(({ runId }) => runId)).size).toBe(1);
  });

  test("have schemas that the SDK may modify, and keep their names", async () => {
    const session = (await desk().open()).session();
    const [first] = toOpenAiAgentsTools(session);
    (first!.parameters.properties as Record<string, unknown>).more = { type: "number" };
    expect(toOpenAiAgentsTools(session).map(({ name }) => name)).toContain("break-down");
    expect(toOpenAiAgentsTools(session)[0]!.parameters.properties).not.toHaveProperty("more");
  });

  test("return the error of a failed tool to the model, and the run continues", async () => {
    const session = (await desk().open()).session();
    const { agent, model } = createScriptedAgent(
      session,
      [functionCall("break-down", {}, { callId: "b1" })],
      textTurn("Sorry."),
    );
    expect((await runner.run(agent, "Go.")).finalOutput).toBe("Sorry.");
    expect(toldResults(model).b1).toContain("The pump is broken.");
  });

  test("reject arguments that do not match the schema, with the reason", async () => {
    const scene = desk();
    const session = (await scene.open()).session();
    const { agent, model } = createScriptedAgent(
      session,
      [functionCall("send_mail", { too: 1 }, { callId: "s1" })],
      textTurn("Sorry."),
    );
    await runner.run(agent, "Go.");
    expect(toldResults(model).s1).toContain("to");
    expect(scene.sent).toEqual([]);
  });

  test("receive the abort signal of the SDK", async () => {
    const scene = desk();
    const haft = await scene.open();
    const stop = new AbortController();
    haft.on("tools.progress", () => stop.abort());
    const { agent } = createScriptedAgent(
      haft.session(),
      [functionCall("wait_long", {}, { callId: "w1" })],
      textTurn("Done."),
    );
    await runner.run(agent, "Go.", { signal: stop.signal }).catch(() => {});
    expect(scene.aborted).toEqual(["wait_long"]);
  });

  test("fail the run when the runtime is closed", async () => {
    const haft = await desk().open();
    const { agent } = createScriptedAgent(haft.session(), [agentsReadPageCall()], textTurn("Done."));
    await haft.close();
    await expect(runner.run(agent, "Go.")).rejects.toThrow("Failed to run function tools");
  });

  test("pause a streamed run", async () => {
    const scene = desk();
    const { agent } = createScriptedAgent(
      (await scene.open()).session(),
      [agentsReadPageCall()],
      [agentsSendMailCall()],
    );
    const result = await runner.run(agent, "Go.", { stream: true });
    await result.completed;
    expect(result.interruptions.map(({ name }) => name)).toEqual(["send_mail"]);
    expect(scene.sent).toEqual([]);
  });
});

test("a tool invoked directly without a call id runs through the session", async () => {
  const haft = await desk().open();
  const tools = toOpenAiAgentsTools(haft.session());
  const reading = tools.find(({ name }) => name === "read_page")!;
  expect(await reading.invoke(new RunContext(), '{"url":"a.example"}')).toContain("Words of a.example");
  expect(await haft.log()).toHaveLength(1);
});
