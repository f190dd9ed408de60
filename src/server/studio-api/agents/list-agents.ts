import { handoffsOf } from "../../../types/agent.ts";
import type { Model } from "../../../types/model.ts";
import type { ApiContext } from "../api-context.ts";
import { definedFields } from "../defined-fields.ts";
import type { AgentListItem } from "../schemas/agents.ts";
import type { Page } from "../schemas/shared.ts";
import type { StudioAgent } from "../studio-options.ts";

export const listAgents = async ({ studio }: ApiContext): Promise<Page<AgentListItem>> => ({
  items: studio.options.agents
    .map(toAgentListItem)
    .map((line) => studio.redactor.value(line) as AgentListItem),
  hasMore: false,
});

const toAgentListItem = ({ name, agent, run }: Required<StudioAgent>): AgentListItem => {
  const { description, instructions, model, tools, layers } = agent;
  return {
    name,
    ...definedFields({ description, model: modelNameOf(run.model ?? model) }),
    instructions,
    tools: tools.map((tool) =>
      typeof tool === "string" ? tool : "spec" in tool ? tool.spec.name : tool.name,
    ),
    handoffs: handoffsOf(agent).map((each) => each.name),
    layers: layers.map(({ label = "layer" }) => label).toReversed(),
  };
};

const modelNameOf = (model: Model | string | undefined): string | undefined =>
  typeof model === "string" ? model : model?.id;
