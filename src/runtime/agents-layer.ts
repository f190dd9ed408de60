import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Agents, agentsService } from "../agent/agents.ts";
import { Tools } from "../pipeline/tools-service.ts";
import { availabilityOf } from "../registry/offer/offer.ts";
import { observerOf } from "../types/call.ts";
import { type AnyHaftOptions, collectPipelineOptions, type PipelineServices } from "./tool-runtime-layer.ts";

/** Builds the `Agents` service over the runtime's tools and ledger. */
export const agentsLayer = (
  options: Pick<AnyHaftOptions, "model" | "principal" | "layers">,
): Layer.Layer<Agents, never, Tools | PipelineServices> =>
  Layer.effect(
    Agents,
    Effect.gen(function* () {
      const services = yield* collectPipelineOptions([], () => true);
      return agentsService({
        services,
        tools: yield* Tools,
        model: options.model,
        principal: options.principal,
        isAvailable: availabilityOf(options.layers ?? []),
        observer: observerOf(options.layers ?? []),
      });
    }),
  );
