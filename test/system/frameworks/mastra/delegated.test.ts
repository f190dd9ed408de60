import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { toMastraTools } from "haft/integrations/mastra";
import { expect, test } from "vitest";
import { createMailDesks } from "../../kit/mail-desk.ts";
import {
  mastraCall,
  mastraReadPageCall,
  mastraSendMailCall,
  scriptedMastraModel,
} from "../../kit/mastra-scene.ts";

const desk = createMailDesks();

test("a pending call of a sub-agent suspends both agents, and runs once when the parent resumes", async () => {
  const scene = desk();
  const session = (await scene.open()).session();
  const storage = new InMemoryStore();
  const open = () => {
    const below = scriptedMastraModel("scripted", [mastraReadPageCall()], [mastraSendMailCall()]);
    const above = scriptedMastraModel("scripted", [
      mastraCall("a1", "agent-mailer", { prompt: "Mail Bob." }),
    ]);
    const tools = toMastraTools(session);
    const described = { instructions: "", description: "Mails." };
    const mailer = new Agent({ ...described, id: "mailer", name: "mailer", model: below.model, tools });
    const boss = new Agent({
      ...described,
      id: "boss",
      name: "boss",
      model: above.model,
      agents: { mailer },
    });
    return new Mastra({ agents: { boss, mailer }, storage, logger: false }).getAgent("boss");
  };
  const paused = await open().generate("Go.");
  expect(paused.finishReason).toBe("suspended");
  const [asked] = await session.pending();
  await scene.answer(asked!.id, { kind: "allow" });
  const { text } = await open().resumeGenerate({}, { runId: paused.runId!, toolCallId: "a1" });
  expect(text).toBe("Done.");
  expect(scene.sent).toEqual(["bob"]);
});
