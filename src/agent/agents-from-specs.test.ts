import { Haft } from "haft";
import { agentsFromSpecs } from "haft/agent";
import { calls, says, scriptedModel } from "haft/testing";
import { expect, it } from "vitest";

const spec = (name: string, handoffs: readonly string[] = []) => ({
  name,
  instructions: `Be the ${name}.`,
  tools: [],
  handoffs,
});

it("lets agents of one file hand off to each other by name", async () => {
  const [desk, expert] = agentsFromSpecs([spec("desk", ["expert"]), spec("expert", ["desk"])]);
  expect([desk?.name, expert?.name]).toEqual(["desk", "expert"]);
  const model = scriptedModel([
    calls(["handoff_to_expert", {}]),
    calls(["handoff_to_desk", {}]),
    says("At your service."),
  ]);
  await using haft = await Haft.open({ model, principal: { agent: "tester", allow: ["*"] } });
  const response = await haft.run(desk!, "Go");
  expect(response).toMatchObject({ content: "At your service.", agent: "desk", turns: 3 });
  expect(model.requests.map(({ messages }) => messages[0]?.content)).toEqual([
    "Be the desk.",
    "Be the expert.",
    "Be the desk.",
  ]);
});

it("refuses a handoff to an agent outside of the file", () => {
  expect(() => agentsFromSpecs([spec("desk", ["expert"])])).toThrow(
    'The agent "desk" has a handoff to "expert", which is not in the same file.',
  );
});
