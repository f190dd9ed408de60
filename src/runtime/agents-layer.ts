import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Agents, agents } from "../agent/agents.ts";
import { Tools } from "../call/tools-service.ts";
import { opennessBy } from "../catalog/offer/available.ts";
import { observerOf } from "../words/observer.ts";
import { type AnyOptions, type CorridorServices, corridorOptions } from "./live.ts";

/** Agents run on the same tools, and their model calls are written into the same ledger. */
export const agentsLayer = (
  options: Pick<AnyOptions, "model" | "principal" | "layers">,
): Layer.Layer<Agents, never, Tools | CorridorServices> =>
  Layer.effect(
    Agents,
    Effect.gen(function* () {
      const services = yield* corridorOptions([], () => true);
      return agents({
        services,
        tools: yield* Tools,
        model: options.model,
        principal: options.principal,
        isAvailable: opennessBy(options.layers ?? []),
        observer: observerOf(options.layers ?? []),
      });
    }),
  );
