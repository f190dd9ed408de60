import { Haft } from "haft";
import { says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import { agent } from "./agent.ts";

const named = (name: string, more: object = {}) => agent({ name, instructions: "Be brief.", ...more });

describe("an agent is refused when it is made", () => {
  const model = { id: "m", generate: () => {}, stream: () => {} };
  const writer = named("writer");

  it.each([
    [{ tools: [null] }, "tools are specs, tools"],
    [{ tools: [7] }, "tools are specs, tools"],
    [{ tools: [{ spec: null }] }, "tools are specs, tools"],
    [{ tools: [{ name: " " }] }, "tools are specs, tools"],
    [{ tools: "get_weather" }, "a list as `tools`"],
    [{ tools: ["get_weather", "get_weather"] }, 'two tools named "get_weather"'],
    [{ handoffs: [writer, named("editor"), named("writer")] }, 'two handoffs named "writer"'],
    [{ handoffs: ["writer"] }, "agents, or functions that give one"],
    [{ handoffs: [null] }, "agents, or functions that give one"],
    [{ model: 7 }, "The model of"],
    [{ model: null }, "The model of"],
    [{ model: { ...model, id: undefined } }, "The model of"],
    [{ model: { ...model, generate: undefined } }, "The model of"],
    [{ model: { ...model, stream: undefined } }, "The model of"],
    [{ instructions: " " }, "needs `instructions`"],
    [{ name: " " }, "needs a `name`"],
  ])("with %j", (more, message) => {
    expect(() => named("helper", more)).toThrow(message);
  });

  it.each([[null], [undefined], ["helper"]])("of %j, which says nothing of it", (definition) => {
    expect(() => agent(definition as never)).toThrow("agent takes { name, instructions, … }.");
  });

  it("but may name a model, carry one, and have functions that give an agent, alike or not", () => {
    const later = () => writer;
    expect(named("helper", { model, handoffs: [later, later] })).toMatchObject({ handoffs: [later, later] });
    expect(named("helper", { model: "openai/gpt-5" }).model).toBe("openai/gpt-5");
  });
});

it("each agent to hand over to is a read-only tool that says what that agent is for", async () => {
  const model = scriptedModel([says("Done.")]);
  const handoffs = [named("writer", { description: "Writes well." }), named("Ed & Co")];
  const haft = await Haft.open({ principal: { agent: "tester", allow: ["*"] } });
  await haft.run(named("helper", { model, handoffs }), "Go");
  expect(model.requests[0]?.tools.map(({ wireName, spec }) => [wireName, spec.description])).toEqual([
    ["handoff_to_writer", 'Hands the conversation over to the agent "writer". Writes well.'],
    ["handoff_to_Ed_Co", 'Hands the conversation over to the agent "Ed & Co".'],
  ]);
  for (const { spec } of model.requests[0]?.tools ?? []) {
    expect(spec).toMatchObject({ tags: ["handoff"], annotations: { readOnly: true } });
    expect(spec.input).toMatchObject({
      properties: { reason: { type: "string", description: "Why the other agent should take over." } },
    });
  }
  await haft.close();
});
