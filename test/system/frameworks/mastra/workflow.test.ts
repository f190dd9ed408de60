import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { toMastraTools } from "haft/integrations/mastra";
import { expect, test } from "vitest";
import * as z from "zod";
import { createMailDesks } from "../../kit/mail-desk.ts";

const desk = createMailDesks();
const anything = z.looseObject({});

test("a session tool as a workflow step suspends the workflow, and runs once when it resumes", async () => {
  const scene = desk();
  const session = (await scene.open()).session();
  await session.turn([{ id: "r1", tool: "read_page", input: { url: "a.example" } }]);
  const step = createStep(toMastraTools(session).send_mail as never);
  const mailing = createWorkflow({ id: "mailing", inputSchema: anything, outputSchema: anything })
    .then(step as never)
    .commit();
  const mastra = new Mastra({ workflows: { mailing }, storage: new InMemoryStore(), logger: false });
  const run = await mastra.getWorkflow("mailing").createRun();
  expect((await run.start({ inputData: { to: "bob" } })).status).toBe("suspended");
  const [asked] = await session.pending();
  await scene.answer(asked!.id, { kind: "allow" });
  expect((await run.resume({ resumeData: {} })).status).toBe("success");
  expect(scene.sent).toEqual(["bob"]);
  expect(await scene.asked()).toHaveLength(1);
});
