import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { createPipeline } from "../pipeline/pipeline.ts";
import { createTools } from "../pipeline/tools.ts";
import { Tools, type ToolsService } from "../pipeline/tools-service.ts";
import { Policy, type PolicyEngine } from "../policy/engine.ts";
import { Registry, toolRegistry } from "../registry/tool-registry.ts";
import type { AnyLayer } from "../types/layer.ts";
import type { AnyTool } from "../types/tool.ts";
import { Configuration } from "./configuration.ts";
import { collectPipelineOptions, type ToolServices } from "./tool-runtime-layer.ts";

/** Tools of a room that builds on a runtime, and who may call them. */
export interface PrivateTools {
  readonly tools: readonly AnyTool[];
  readonly policy: PolicyEngine;
}

/**
 * A corridor of their own for tools that no registry has, over the ledger, the events and the limits of the runtime: no
 * offer and no agent of the runtime knows of them. Of the operator's layers only those that watch are around them, since
 * one that answers from memory would answer for whatever a tool of the gateway's keeps for a client.
 */
export const openPrivateTools = async (
  services: Context.Context<ToolServices>,
  { tools: all, policy }: PrivateTools,
  layers: readonly AnyLayer[],
  isOpen: () => boolean,
): Promise<ToolsService> => {
  const privateRegistry = toolRegistry({ maxTools: all.length });
  privateRegistry.registerAll(all);
  const context = services.pipe(Context.add(Registry, privateRegistry), Context.add(Policy, policy));
  const observingLayers = layers.filter(({ observer }) => observer !== undefined);
  const optionsEffect = collectPipelineOptions(observingLayers, isOpen);
  const options = await Effect.runPromise(Effect.provideContext(optionsEffect, context));
  return createTools({
    corridor: createPipeline(options),
    context: Context.get(services, Tools).context,
    principal: undefined,
    env: undefined,
    newId: options.newId,
    repair: Context.get(services, Configuration).hydration.repair,
    repairer: undefined,
    limits: options.settings.json,
  });
};
