import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { bindAgent, showTools } from "../../agent/bind-tools.ts";
import type { ReplayRuntime } from "../../agent/replay.ts";
import type { BindMode } from "../../catalog/library/binding.ts";
import { Registry } from "../../catalog/registry.ts";
import { Tools } from "../../runtime/tools.ts";
import { type Agent, handoffsOf, type Library } from "../../words/agent.ts";
import type { Registration } from "../../words/tool.ts";
import type { OpenedServices } from "../open-services.ts";

export interface ReplayedAgent {
  readonly agent: Agent;
  readonly library: Library | undefined;
  readonly mode: BindMode;
}

/** Makes calls as a run of the agent would: of its tools, bound to its library, inside its layers. */
export const replayRuntime = (
  { services, principal: caller }: OpenedServices,
  replayed: ReplayedAgent | undefined,
): ReplayRuntime => {
  const tools = Context.get(services, Tools);
  if (replayed === undefined) {
    return {
      turn: (calls, options = {}) => Effect.runPromise(tools.turn(calls, { principal: caller, ...options })),
    };
  }
  const { agent, library, mode } = replayed;
  const binding = { registry: Context.get(services, Registry), library, mode };
  const byWireName = new Map<string, Registration>();
  for (const each of everyAgent(agent)) {
    for (const [name, one] of showTools(bindAgent(each, binding), () => true).byWireName)
      byWireName.set(name, one);
  }
  return {
    turn: (calls, { layers = [], principal = caller, repair, correlationId } = {}) =>
      Effect.runPromise(
        tools.step(calls, {
          scope: { id: tools.newId("run"), agent: agent.name },
          scopes: { run: layers, agent: agent.layers },
          shown: { byWireName },
          principal,
          correlationId,
          ...(repair === undefined ? {} : { repair }),
        }),
      ),
  };
};

/** The agent, and whoever it could have handed over to. */
const everyAgent = (agent: Agent, seen = new Set<Agent>()): ReadonlySet<Agent> => {
  if (seen.has(agent)) return seen;
  seen.add(agent);
  for (const each of handoffsOf(agent)) everyAgent(each, seen);
  return seen;
};
