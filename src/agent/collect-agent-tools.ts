import type { BindMode } from "../registry/library/library-entry.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { type Agent, handoffsOf, type Library } from "../types/agent.ts";
import type { Registration } from "../types/tool.ts";
import { bindAgent, toTurnTools } from "./bind-agent.ts";

export interface AgentWithLibrary {
  readonly agent: Agent;
  readonly library: Library | undefined;
  readonly mode: BindMode;
}

export const collectAgentTools = (
  registry: ToolRegistry,
  { agent, library, mode }: AgentWithLibrary,
): ReadonlyMap<string, Registration> => {
  const binding = { registry, library, mode };
  const all = [...reachableAgents(agent)].flatMap((each) => [
    ...toTurnTools(bindAgent(each, binding), () => true).byWireName.values(),
  ]);
  return new Map(all.map((one) => [one.wireName, one]));
};

export const reachableAgents = (agent: Agent, seen = new Set<Agent>()): ReadonlySet<Agent> => {
  if (seen.has(agent)) return seen;
  seen.add(agent);
  for (const each of handoffsOf(agent)) reachableAgents(each, seen);
  return seen;
};
