import type { Agent } from "../words/agent.ts";
import type { LayerScopes } from "../words/layer.ts";
import { type Binding, type BoundAgent, bindAgent } from "./bind-tools.ts";

/** Binding holds until a tool comes or goes; a run asks for it at every turn. */
export const boundOnce = (binding: Binding): ((agent: Agent) => BoundAgent) => {
  const made = new Map<Agent, { readonly version: number; readonly bound: BoundAgent }>();
  return (agent) => {
    const { version } = binding.registry;
    const before = made.get(agent);
    if (before?.version === version) return before.bound;
    const bound = bindAgent(agent, binding);
    made.set(agent, { version, bound });
    return bound;
  };
};

/** Stacks of layers are kept by the identity of their scopes, so each agent of a run has one. */
export const perAgent = (make: (agent: Agent) => LayerScopes): ((agent: Agent) => LayerScopes) => {
  const made = new Map<Agent, LayerScopes>();
  return (agent) => {
    const scopes = made.get(agent) ?? make(agent);
    made.set(agent, scopes);
    return scopes;
  };
};
