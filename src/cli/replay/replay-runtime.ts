import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { RunRecorder } from "../../call/recorder.ts";
import type { ReplayRuntime } from "../../experiment/replay.ts";
import { Tools } from "../../call/tools.ts";
import { type AgentWithCode, agentTools } from "../agent-tools.ts";
import type { OpenedServices } from "../open-services.ts";

/** Makes calls as a run of the agent would: of its tools, bound to its library, inside its layers. */
export const replayRuntime = (opened: OpenedServices, replayed: AgentWithCode | undefined): ReplayRuntime => {
  const { services, principal: caller } = opened;
  const tools = Context.get(services, Tools);
  if (replayed === undefined) {
    return {
      turn: (calls, options = {}) => Effect.runPromise(tools.turn(calls, { principal: caller, ...options })),
    };
  }
  const { agent } = replayed;
  const byWireName = agentTools(opened, replayed);
  return {
    turn: (calls, { layers = [], principal = caller, repair, correlationId } = {}) =>
      Effect.runPromise(
        tools.step(calls, {
          scope: { id: tools.newId("run"), agent: agent.name, tally: new RunRecorder() },
          layers: { run: layers, agent: agent.layers },
          shown: { byWireName },
          principal,
          correlationId,
          ...(repair === undefined ? {} : { repair }),
        }),
      ),
  };
};
