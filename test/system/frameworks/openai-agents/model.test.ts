import { Agent } from "@openai/agents";
import { ScriptedModel } from "@openai/agents/testing";
import { haftModel, toOpenAiAgentsTools } from "haft/integrations/openai-agents";
import { authorize } from "haft/layers";
import { describe, expect, test } from "vitest";
import { recordingLayer } from "../../../kit/test-layers.ts";
import { createMailDesks } from "../../kit/mail-desk.ts";
import { agentsSendMailCall, runner, textTurn } from "../../kit/openai-agents-scene.ts";

const desk = createMailDesks();

const scene = async (layers: Parameters<typeof haftModel>[3]) => {
  const haft = await desk().open();
  const session = haft.session({ id: "c-1" });
  const script = new ScriptedModel([[agentsSendMailCall()], textTurn("Done.")]);
  const model = haftModel(session, "scripted/model", script, layers);
  return { haft, script, agent: new Agent({ name: "desk", model, tools: toOpenAiAgentsTools(session) }) };
};

describe("haftModel of the OpenAI Agents SDK", () => {
  test.each([false, true])(
    "runs its layers and records its requests in the session (streamed: %s)",
    async (stream) => {
      const seen: string[] = [];
      const { haft, agent } = await scene({ layers: [recordingLayer("mine", seen)] });
      if (stream) {
        const result = await runner.run(agent, "Go.", { stream: true });
        for await (const _ of result);
        expect(result.finalOutput).toBe("Done.");
      } else expect((await runner.run(agent, "Go.")).finalOutput).toBe("Done.");
      expect(seen).toEqual(["mine in", "mine out", "mine in", "mine out"]);
      const log = await haft.log({ session: "c-1" });
      expect(log.map(({ tool }) => tool)).toEqual([
        "model:scripted/model",
        "send_mail",
        "model:scripted/model",
      ]);
    },
  );

  test("does not call the provider when a layer denies the request", async () => {
    const { script, agent } = await scene({ layers: [authorize(() => ({ kind: "deny" }))] });
    await expect(runner.run(agent, "Go.")).rejects.toThrow(/not approved/);
    expect(script.calls).toEqual([]);
  });
});
