import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { AgentsService } from "../agent/agents.ts";
import { Tools } from "../call/tools-service.ts";
import { opennessBy } from "../catalog/offer/available.ts";
import { observerOf } from "../words/observer.ts";
import { corridorOptions, type ToolServices } from "./live.ts";
import type { HaftOptions } from "./options.ts";

/** Loaded with the first run: whoever runs no agent needs none of it. */
export const openAgents = async (
  services: Context.Context<ToolServices>,
  options: Pick<HaftOptions, "model" | "principal" | "layers">,
): Promise<AgentsService> => {
  const { agents } = await import("../agent/agents.ts");
  const asking = corridorOptions([], () => true);
  const own = await Effect.runPromise(Effect.provideContext(asking, services));
  const { model, principal, layers = [] } = options;
  return agents({
    services: own,
    tools: Context.get(services, Tools),
    model,
    principal,
    isAvailable: opennessBy(layers),
    observer: observerOf(layers),
  });
};
