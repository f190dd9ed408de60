import { ToolMessage } from "@langchain/core/messages";
import { functionCall } from "@openai/agents/testing";
import { generateText, isStepCount } from "ai";
import { Haft, tool, withMedia } from "haft";
import { toAiSdkTools } from "haft/integrations/ai-sdk";
import { toLangChainTools } from "haft/integrations/langchain";
import { expect, test } from "vitest";
import { pngOf } from "../../kit/png-of.ts";
import { lastToolResult, scriptedAiSdkModel } from "../../kit/scripted-ai-sdk.ts";
import { createScriptedAgent, runner, textTurn } from "../kit/openai-agents-scene.ts";

const data = pngOf(2, [1, 2, 3]).toString("base64");
const wav = Buffer.from("RIFF").toString("base64");
const draw = tool({
  name: "draw",
  description: "Draws",
  input: { type: "object" },
  run: () =>
    withMedia({ width: 2 }, [
      { kind: "image", mediaType: "image/png", data },
      { kind: "audio", mediaType: "audio/wav", data: wav },
      { kind: "file", mediaType: "application/pdf", url: "https://media.example/a.pdf", name: "a.pdf" },
    ]),
});
const session = async () =>
  (await Haft.open({ tools: [draw], principal: { agent: "painter", allow: ["*"] } })).session();

test("the AI SDK sends the media of a result to the model, and its steps have the value", async () => {
  const model = scriptedAiSdkModel([["c1", "draw", {}]]);
  const tools = toAiSdkTools(await session());
  const { steps } = await generateText({ model, tools, prompt: "Draw.", stopWhen: isStepCount(3) });
  expect(steps[0]?.toolResults[0]?.output).toEqual({ width: 2 });
  expect(lastToolResult(model, "c1")).toMatchObject({
    type: "content",
    value: [
      { type: "text", text: '{"width":2}' },
      { type: "file", mediaType: "image/png", data: { type: "data", data } },
      { type: "file", mediaType: "audio/wav", data: { type: "data", data: wav } },
      // URLs named by a tool are not fetched.
      { type: "text", text: '[file "a.pdf" (application/pdf, https://media.example/a.pdf)]' },
    ],
  });
});

test("LangChain receives the media of a result as standard content blocks", async () => {
  const [drawing] = toLangChainTools(await session());
  const message = await drawing!.invoke({ type: "tool_call", id: "c1", name: "draw", args: {} } as never);
  expect(ToolMessage.isInstance(message)).toBe(true);
  expect((message as unknown as ToolMessage).contentBlocks).toEqual([
    { type: "text", text: '{"width":2}' },
    { type: "image", mimeType: "image/png", data },
    { type: "audio", mimeType: "audio/wav", data: wav },
    {
      type: "file",
      mimeType: "application/pdf",
      url: "https://media.example/a.pdf",
      metadata: { filename: "a.pdf" },
    },
  ]);
});

test("the OpenAI Agents SDK receives images and files of a result, and a text for audio", async () => {
  const { agent, model } = createScriptedAgent(
    await session(),
    [functionCall("draw", {}, { callId: "c1" })],
    textTurn("Done."),
  );
  expect((await runner.run(agent, "Draw.")).finalOutput).toBe("Done.");
  const reported = JSON.stringify(model.calls.at(-1)?.request.input);
  expect(reported).toContain('"type":"input_image"');
  expect(reported).toContain(data);
  expect(reported).toContain("audio (audio/wav, 4 bytes): it cannot be shown to you.");
  expect(reported).toContain("https://media.example/a.pdf");
});
