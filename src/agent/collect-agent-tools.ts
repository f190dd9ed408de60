import type { BindMode } from "../catalog/library/binding.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import { type Agent, handoffsOf, type Library } from "../words/agent.ts";
import type { Registration } from "../words/tool.ts";
import { bindAgent, showTools } from "./bind-tools.ts";

/** An agent with the code that is to answer its specs. */
export interface AgentWithCode {
  readonly agent: Agent;
  readonly library: Library | undefined;
  readonly mode: BindMode;
}

/** By the names a model knows them by: the tools of the agent, and of whoever it could hand over to. */
export const agentTools = (
  registry: ToolRegistry,
  { agent, library, mode }: AgentWithCode,
): ReadonlyMap<string, Registration> => {
  const binding = { registry, library, mode };
  const all = [...everyAgent(agent)].flatMap((each) => [
    ...showTools(bindAgent(each, binding), () => true).byWireName,
  ]);
  return new Map(all);
};

/** The agent, and whoever it could have handed over to. */
export const everyAgent = (agent: Agent, seen = new Set<Agent>()): ReadonlySet<Agent> => {
  if (seen.has(agent)) return seen;
  seen.add(agent);
  for (const each of handoffsOf(agent)) everyAgent(each, seen);
  return seen;
};
