import { handoffsOf } from "../../words/agent.ts";
import type { Model } from "../../words/model.ts";
import { given } from "../calls/call-line.ts";
import type { StudioAgent } from "../studio-options.ts";
import type { Visit } from "../visit.ts";
import type { AgentLine } from "../words/agents.ts";
import type { Page } from "../words/shared.ts";

export const listAgents = async ({ world }: Visit): Promise<Page<AgentLine>> => ({
  items: world.options.agents.map(toAgentLine).map((line) => world.redactor.value(line) as AgentLine),
  isCut: false,
});

const toAgentLine = ({ name, agent, run }: Required<StudioAgent>): AgentLine => {
  const { description, instructions, model, tools, layers } = agent;
  return {
    name,
    ...given({ description, model: nameOf(run.model ?? model) }),
    instructions,
    tools: tools.map((tool) =>
      typeof tool === "string" ? tool : "spec" in tool ? tool.spec.name : tool.name,
    ),
    handoffs: handoffsOf(agent).map((each) => each.name),
    layers: layers.map(({ label = "layer" }) => label).toReversed(),
  };
};

const nameOf = (model: Model | string | undefined): string | undefined =>
  typeof model === "string" ? model : model?.id;
