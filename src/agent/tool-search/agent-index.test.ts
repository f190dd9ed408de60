import { expect, it } from "vitest";
import { toolRegistry } from "../../registry/tool-registry.ts";
import { tool } from "../../tools/tool.ts";
import { agent } from "../agent.ts";
import { agentIndex } from "./agent-index.ts";

const made = (name: string, description = `Chore of ${name}`) =>
  tool({ name, description, input: [], run: () => name });
const desk = agent({ name: "desk", instructions: "Help.", tools: ["*"] });
const found = (index: ReturnType<typeof agentIndex>, text: string) =>
  index.search(text, { limit: 10 }).map(({ key }) => key);

it("keeps the index of an agent and updates it when tools change", () => {
  const tools = toolRegistry();
  tools.registerAll([made("pay"), made("ship")]);
  const first = agentIndex(tools, desk, [...tools.ordered()]);
  expect(found(first, "chore")).toEqual(["pay", "ship"]);
  tools.unregister("pay");
  tools.register(made("refund", "Gives money back"));
  tools.unregister("ship");
  tools.register(made("ship", "Sends parcels"));
  const next = agentIndex(tools, desk, [...tools.ordered()]);
  expect(next).toBe(first);
  expect(next.size).toBe(2);
  expect(found(next, "pay")).toEqual([]);
  expect(found(next, "money")).toEqual(["refund"]);
  expect(found(next, "parcels")).toEqual(["ship"]);
  expect(found(next, "chore")).toEqual([]);
});

it("shares one index between agents that have all tools of a runtime", () => {
  const tools = toolRegistry();
  tools.registerAll([made("pay"), made("ship")]);
  const other = agent({ name: "other", instructions: "Help.", tools: ["*"] });
  expect(agentIndex(tools, other, tools.ordered())).toBe(agentIndex(tools, desk, tools.ordered()));
  expect(agentIndex(tools, other, tools.ordered().slice(1))).not.toBe(
    agentIndex(tools, desk, tools.ordered()),
  );
});

it("keeps an index of its own for another agent and another runtime", () => {
  const [here, there] = [toolRegistry(), toolRegistry()];
  const other = agent({ name: "desk", instructions: "Help." });
  const index = agentIndex(here, desk, []);
  expect(agentIndex(here, other, [])).not.toBe(index);
  expect(agentIndex(there, desk, [])).not.toBe(index);
  expect(agentIndex(here, desk, [])).toBe(index);
});
