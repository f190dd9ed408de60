import type { Agent } from "../types/agent.ts";
import type { LayerScopes } from "../types/layer.ts";
import { type AgentBindingOptions, type BoundAgent, bindAgent } from "./bind-agent.ts";

/** Binding holds until a tool comes or goes; a run asks for it at every turn. */
export const memoizeBinding = (options: AgentBindingOptions): ((agent: Agent) => BoundAgent) => {
  const made = new Map<Agent, { readonly version: number; readonly bound: BoundAgent }>();
  return (agent) => {
    const { version } = options.registry;
    const before = made.get(agent);
    if (before?.version === version) return before.bound;
    const bound = bindAgent(agent, options);
    made.set(agent, { version, bound });
    return bound;
  };
};

/** Stacks of layers are kept by the identity of their scopes, so each agent of a run has one. */
export const memoizePerAgent = (make: (agent: Agent) => LayerScopes): ((agent: Agent) => LayerScopes) => {
  const made = new Map<Agent, LayerScopes>();
  return (agent) => {
    const scopes = made.get(agent) ?? make(agent);
    made.set(agent, scopes);
    return scopes;
  };
};
