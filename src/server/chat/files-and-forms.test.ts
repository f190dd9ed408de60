import { agent, Haft, tool, withMedia } from "haft";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import {
  openChatPage,
  principalFromHeader,
  readUiMessage,
  type userUiMessage,
} from "../../../test/kit/chat-scene.ts";
import { pngOf } from "../../../test/kit/png-of.ts";
import { calls, type ScriptLine, says, scriptedModel } from "../../../test/kit/scripted-model.ts";
import { agentHandler } from "./agent-handler.ts";

const data = pngOf(2, [255, 0, 0]).toString("base64");
const url = `data:image/png;base64,${data}`;
const picture = { kind: "image", mediaType: "image/png", data } as const;

const draw = tool({
  name: "draw",
  description: "Draws",
  input: [],
  annotations: { readOnly: true },
  run: () =>
    withMedia({ width: 2 }, [
      picture,
      { kind: "image", mediaType: "image/png", url: "https://a.example/x.png" },
    ]),
});

const scene = async (script: readonly ScriptLine[], more: object = {}, takes = { data: ["image/*"] }) => {
  const haft = await Haft.open({ tools: [draw] });
  onTestFinished(() => haft.close());
  const model = scriptedModel(script, { takes });
  const desk = agent({ name: "desk", instructions: "Help.", model, tools: ["draw"], ...more });
  return { model, page: openChatPage(agentHandler(haft, desk, { principal: principalFromHeader })) };
};

const sent = (parts: readonly object[]) =>
  ({ id: "m1", role: "user", parts }) as ReturnType<typeof userUiMessage>;

it("passes a file to the model at its position and shows it after a reload", async () => {
  const { model, page } = await scene([says("Red.")]);
  const file = { type: "file", mediaType: "image/png", url, filename: "red.png" };
  const message = sent([{ type: "text", text: "Which color?" }, file]);
  await readUiMessage(await page.send("c1", [message]));
  expect(model.requests[0]?.messages.at(-1)?.content).toEqual([
    { kind: "text", text: "Which color?" },
    { ...picture, name: "red.png" },
  ]);
  const [shown] = await page.show("c1");
  expect(shown).toEqual(message);
  // The same message is answered once. With another picture it is refused.
  await readUiMessage(await page.send("c1", [message]));
  expect(model.requests).toHaveLength(1);
  const other = sent([
    { type: "text", text: "Which color?" },
    { ...file, url: url.replace("iVBOR", "iVBOS") },
  ]);
  await expect(page.send("c1", [other])).rejects.toThrow(/message_changed/);
});

it("refuses a file by address, without its bytes or of an invalid type", async () => {
  const { model, page } = await scene([]);
  for (const file of [
    { mediaType: "image/png", url: "https://a.example/x.png" },
    { mediaType: "image/png", url: "http://127.0.0.1/x.png" },
    { mediaType: "image/png", url: "data:image/png,raw" },
    { mediaType: "image/png", url: "data:image/png;base64,%%%" },
    { mediaType: "nonsense", url },
  ]) {
    await expect(page.send("c1", [sent([{ type: "file", ...file }])])).rejects.toThrow(/"file"/);
  }
  expect(model.requests).toEqual([]);
});

it("shows the picture of a tool from its bytes and opens no address", async () => {
  const { page } = await scene([calls(["draw", {}]), says("There.")]);
  const answer = await readUiMessage(await page.say("c1", "m1", "Draw."));
  expect(answer.parts.filter(({ type }) => type === "file")).toEqual([
    { type: "file", mediaType: "image/png", url },
  ]);
  expect(JSON.stringify(answer)).not.toContain("a.example");
  expect((await page.show("c1"))[1]).toEqual(answer);
});

it("shows reasoning as it arrives and after a reload", async () => {
  const { page } = await scene([{ text: "Red.", reasoning: "It looks red." }]);
  const answer = await readUiMessage(await page.say("c1", "m1", "Which color?"));
  expect(answer.parts).toContainEqual(expect.objectContaining({ type: "reasoning", text: "It looks red." }));
  expect((await page.show("c1"))[1]?.parts.map(({ type }) => type)).toEqual(
    answer.parts.map(({ type }) => type),
  );
});

it("shows a corrected answer as part of the same answer, without the correction request", async () => {
  const output = z.object({ color: z.enum(["red", "blue"]) });
  const { model, page } = await scene(
    [says("Red, I think."), says('{"color":"red"}'), says('{"color":"blue"}')],
    { output },
  );
  const answer = await readUiMessage(await page.say("c1", "m1", "Which color?"));
  expect(answer.parts.at(-1)).toMatchObject({ type: "text", text: '{"color":"red"}' });
  const shown = await page.show("c1");
  expect(shown.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(JSON.stringify(shown)).not.toContain("cannot be used");
  expect(await page.resume("c1")).toBeNull();
  await readUiMessage(await page.say("c1", "m2", "And now?"));
  expect((await page.show("c1")).map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(model.requests).toHaveLength(3);
});
