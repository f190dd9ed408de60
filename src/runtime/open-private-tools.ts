import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import { createPipeline } from "../pipeline/pipeline.ts";
import { createTools } from "../pipeline/tools.ts";
import { Tools, type ToolsService } from "../pipeline/tools-service.ts";
import { Registry, toolRegistry } from "../registry/tool-registry.ts";
import type { AnyLayer, AnyTool } from "../types/tool.ts";
import { Configuration } from "./configuration.ts";
import { collectPipelineOptions, type ToolServices } from "./tool-runtime-layer.ts";

/**
 * Opens a separate pipeline for tools outside the registry that need no permission, with the runtime's ledger, events and limits. Of
 * the operator's layers only observers apply, because a cache, for example, could return one client's data to
 * another.
 */
export const openPrivateTools = async (
  services: Context.Context<ToolServices>,
  all: readonly AnyTool[],
  layers: readonly AnyLayer[],
  isOpen: () => boolean,
): Promise<ToolsService> => {
  const privateRegistry = toolRegistry({ maxTools: all.length, areFree: true });
  privateRegistry.registerAll(all);
  const context = Context.add(services, Registry, privateRegistry);
  const observingLayers = layers.filter(({ observer }) => observer !== undefined);
  const optionsEffect = collectPipelineOptions(observingLayers, isOpen);
  const options = await Effect.runPromise(Effect.provideContext(optionsEffect, context));
  return createTools({
    pipeline: createPipeline(options),
    context: Context.get(services, Tools).context,
    principal: undefined,
    env: undefined,
    newId: options.newId,
    repair: Context.get(services, Configuration).hydration.repair,
    repairer: undefined,
    limits: options.settings.json,
  });
};
