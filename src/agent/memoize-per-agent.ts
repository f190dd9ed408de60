import type { Agent } from "../types/agent.ts";
import type { LayerScopes } from "../types/tool.ts";
import { type AgentBindingOptions, type BoundAgent, bindAgent } from "./bind-agent.ts";

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

/** Layer stacks are cached by the identity of their scopes, so each agent of a run needs one object. */
export const memoizePerAgent = (make: (agent: Agent) => LayerScopes): ((agent: Agent) => LayerScopes) => {
  const made = new Map<Agent, LayerScopes>();
  return (agent) => {
    const scopes = made.get(agent) ?? make(agent);
    made.set(agent, scopes);
    return scopes;
  };
};
