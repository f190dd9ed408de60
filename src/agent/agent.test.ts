import { Haft } from "haft";
import { says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import { agent } from "./agent.ts";

const named = (name: string, more: object = {}) => agent({ name, instructions: "Be brief.", ...more });

describe("agent", () => {
  const model = { id: "m", generate: () => {}, stream: () => {} };
  const writer = named("writer");

  it.each([
    [{ tools: [null] }, "tools must be specs, tools"],
    [{ tools: [7] }, "tools must be specs, tools"],
    [{ tools: [{ spec: null }] }, "tools must be specs, tools"],
    [{ tools: [{ name: " " }] }, "tools must be specs, tools"],
    [{ tools: "get_weather" }, "a list as `tools`"],
    [{ tools: ["get_weather", "get_weather"] }, 'two tools named "get_weather"'],
    [{ handoffs: [writer, named("editor"), named("writer")] }, 'two handoffs named "writer"'],
    [{ handoffs: ["writer"] }, "agents, or functions that return one"],
    [{ handoffs: [null] }, "agents, or functions that return one"],
    [{ model: 7 }, "The model of"],
    [{ model: null }, "The model of"],
    [{ model: { ...model, id: undefined } }, "The model of"],
    [{ model: { ...model, generate: undefined } }, "The model of"],
    [{ model: { ...model, stream: undefined } }, "The model of"],
    [{ instructions: " " }, "needs `instructions`"],
    [{ name: " " }, "needs a `name`"],
  ])("is refused with %j", (more, message) => {
    expect(() => named("helper", more)).toThrow(message);
  });

  it.each([[null], [undefined], ["helper"]])("is refused for the definition %j", (definition) => {
    expect(() => agent(definition as never)).toThrow("agent() requires { name, instructions, … }.");
  });

  it("accepts a model name, a model and functions that return an agent", () => {
    const later = () => writer;
    expect(named("helper", { model, handoffs: [later, later] })).toMatchObject({ handoffs: [later, later] });
    expect(named("helper", { model: "openai/gpt-5" }).model).toBe("openai/gpt-5");
  });
});

it("offers each handoff as a read-only tool with the description of its agent", async () => {
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
