import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { corridor } from "../call/corridor.ts";
import { tools } from "../call/tools.ts";
import { Tools, type ToolsService } from "../call/tools-service.ts";
import { Registry, registry } from "../catalog/registry.ts";
import { Policy, type PolicyEngine } from "../policy/engine.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { AnyTool } from "../words/tool.ts";
import { Configuration } from "./configuration.ts";
import { corridorOptions, type ToolServices } from "./live.ts";

/** Tools of a room that builds on a runtime, and who may call them. */
export interface ToolsBeside {
  readonly tools: readonly AnyTool[];
  readonly policy: PolicyEngine;
}

/**
 * A corridor of their own for tools that no registry has, over the ledger, the events and the limits of the runtime: no
 * offer and no agent of the runtime knows of them. Of the operator's layers only those that watch are around them, since
 * one that answers from memory would answer for whatever a tool of the gateway's keeps for a client.
 */
export const openToolsBeside = async (
  services: Context.Context<ToolServices>,
  { tools: all, policy }: ToolsBeside,
  layers: readonly AnyLayer[],
  isOpen: () => boolean,
): Promise<ToolsService> => {
  const own = registry({ maxTools: all.length });
  own.registerAll(all);
  const beside = services.pipe(Context.add(Registry, own), Context.add(Policy, policy));
  const watching = layers.filter(({ observer }) => observer !== undefined);
  const asking = corridorOptions(watching, isOpen);
  const options = await Effect.runPromise(Effect.provideContext(asking, beside));
  return tools({
    corridor: corridor(options),
    context: Context.get(services, Tools).context,
    principal: undefined,
    env: undefined,
    newId: options.newId,
    repair: Context.get(services, Configuration).hydration.repair,
    repairer: undefined,
    limits: options.settings.json,
  });
};
