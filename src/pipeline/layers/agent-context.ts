import type { AuthorizedCall } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import { callerIdentityOf } from "../../types/principal.ts";
import type { ToolLayer } from "../../types/tool.ts";
import { createOrderedLayer } from "./ordered-layer.ts";
import { readCount } from "./read-option.ts";
import type { ContextOptions } from "./run-context.ts";

export interface AgentContextOptions<State> extends ContextOptions<State> {
  /** Least recently used agents are reset. Unless set: 10,000. */
  readonly max?: number;
}

/** Keeps state per agent, user and tenant across runs. */
export const agentContext = <State>({ initial, step, max }: AgentContextOptions<State>): ToolLayer => {
  const maxAgents = readCount("agentContext max", max ?? 10_000, 1);
  const states = new Map<string, State>();
  const applyStep = (call: AuthorizedCall, outcome: Outcome): Outcome => {
    const agent = agentKeyOf(call);
    const state = states.has(agent) ? (states.get(agent) as State) : initial();
    const [after, answer] = step(state, call, outcome);
    states.delete(agent);
    states.set(agent, after);
    if (states.size > maxAgents) states.delete(states.keys().next().value as string);
    return answer;
  };
  return createOrderedLayer("agentContext", applyStep);
};

const agentKeyOf = ({ principal, request }: AuthorizedCall): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant ?? null, user ?? null, request.scope.agent ?? agent]);
};
