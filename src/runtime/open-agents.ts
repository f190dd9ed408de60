import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { AgentsService } from "../agent/agents.ts";
import { Tools } from "../pipeline/tools-service.ts";
import { availabilityOf } from "../registry/offer/is-tool-available.ts";
import { observerOf } from "../types/observer.ts";
import type { HaftOptions } from "./haft-options.ts";
import { collectPipelineOptions, type ToolServices } from "./tool-runtime-layer.ts";

export const openAgents = async (
  services: Context.Context<ToolServices>,
  options: Pick<HaftOptions, "model" | "principal" | "layers">,
): Promise<AgentsService> => {
  const { agentsService: agents } = await import("../agent/agents.ts");
  const optionsEffect = collectPipelineOptions([], () => true);
  const pipelineServices = await Effect.runPromise(Effect.provideContext(optionsEffect, services));
  const { model, principal, layers = [] } = options;
  return agents({
    services: pipelineServices,
    tools: Context.get(services, Tools),
    model,
    principal,
    isAvailable: availabilityOf(layers),
    observer: observerOf(layers),
  });
};
