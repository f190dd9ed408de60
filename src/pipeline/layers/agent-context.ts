import type { AuthorizedCall } from "../words/call.ts";
import type { ToolLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";
import { partyOf } from "../words/principal.ts";
import { inOrder } from "./in-order.ts";
import { readCount } from "./read-option.ts";
import type { ContextOptions } from "./run-context.ts";

export interface AgentContextOptions<State> extends ContextOptions<State> {
  /** Agents remembered at once; of more, the one that called longest ago starts again. 10,000 unless named. */
  readonly max?: number;
}

/** State that an agent keeps from run to run, apart for each user and tenant it works for. */
export const agentContext = <State>({ initial, step, max }: AgentContextOptions<State>): ToolLayer => {
  const most = readCount("agentContext max", max ?? 10_000, 1);
  const states = new Map<string, State>();
  const take = (call: AuthorizedCall, outcome: Outcome): Outcome => {
    const agent = keyOf(call);
    const state = states.has(agent) ? (states.get(agent) as State) : initial();
    const [after, answer] = step(state, call, outcome);
    states.delete(agent);
    states.set(agent, after);
    if (states.size > most) states.delete(states.keys().next().value as string);
    return answer;
  };
  return inOrder("agentContext", take);
};

/** One agent's state is nothing to the same agent working for another user or in another tenant. */
const keyOf = ({ principal, request }: AuthorizedCall): string => {
  const { agent, user, tenant } = partyOf(principal);
  return JSON.stringify([tenant ?? null, user ?? null, request.scope.agent ?? agent]);
};
