import type { Offer } from "../registry/offer/offer.ts";
import type { ToolClass } from "../tools/class-implementation.ts";
import { toTool } from "../tools/decorator.ts";
import type { RawCall } from "../types/call.ts";
import { ConfigurationError, ToolError } from "../types/errors.ts";
import { type HydrationResult, noProvenance, type RepairMode } from "../types/hydration.ts";
import { type Message, markIncompleteCalls } from "../types/message.ts";
import type { Model, ModelOptions, ModelSettings } from "../types/model.ts";
import type { AnyTool } from "../types/tool.ts";
import type { OfferedTool } from "./dialects/exporter.ts";

/** A runtime that offers tools and hydrates calls, such as a Haft. */
export interface ToolRuntime {
  readonly offer: () => { readonly offer: Offer };
  readonly hydrate: (
    calls: readonly RawCall[],
    options: { readonly offer: Offer; readonly repair?: RepairMode },
  ) => Promise<readonly HydrationResult[]>;
}

/** Tools, classes decorated with @Tool, or a runtime that has them. */
export type CallableTools = readonly (AnyTool | ToolClass)[] | ToolRuntime;

/** How `toolCall` asks the model and reads its reply. */
export interface ToolCallOptions extends ModelOptions {
  readonly settings?: ModelSettings;
  /** Whether unusable arguments are repaired once by rules. */
  readonly repair?: "off" | "deterministic";
}

/** A model client that asks once and hydrates the calls of the reply. */
export interface ToolCaller {
  /**
   * Asks once and hydrates the calls of the reply; each result's `tool` runs its call. If the model fails,
   * returns one failed result of the stage `ask`, whose `detail` contains the code and whether a retry may
   * help.
   */
  readonly toolCall: (
    messages: readonly Message[],
    tools: CallableTools,
    options?: ToolCallOptions,
  ) => Promise<readonly HydrationResult[]>;
}

export interface ToolHydrator {
  readonly list: readonly OfferedTool[];
  readonly hydrate: (
    calls: readonly RawCall[],
    repair: RepairMode | undefined,
  ) => Promise<readonly HydrationResult[]>;
}

export type CreateHydrator = (tools: readonly AnyTool[]) => ToolHydrator | Promise<ToolHydrator>;

const isRuntime = (tools: CallableTools): tools is ToolRuntime => !Array.isArray(tools);

const hydratorOf = (runtime: ToolRuntime): ToolHydrator => {
  const { offer } = runtime.offer();
  const { registrations, specs } = offer;
  return {
    list: registrations.map(({ wireName }, index) => ({ wireName, spec: specs[index]! })),
    hydrate: (calls, repair) =>
      runtime.hydrate(calls, { offer, ...(repair === undefined ? {} : { repair }) }),
  };
};

const readTool = (item: AnyTool | ToolClass): AnyTool => {
  const tool = toTool(item) ?? (item as AnyTool);
  if (typeof tool === "object" && tool?.spec !== undefined) return tool;
  throw new ConfigurationError(
    "invalid_config",
    "toolCall requires tools, classes decorated with @Tool, or a Haft; an entry of the list is neither a tool nor such a class.",
  );
};

/** The call pipeline is most of the package. */
const createPrivateHydrator: CreateHydrator = async (tools) => {
  const { standalonePipeline } = await import("./standalone-pipeline.ts");
  return standalonePipeline(tools);
};

const toFailedHydration = (error: unknown): HydrationResult => {
  if (!ToolError.is(error)) throw error;
  const { code, message, retryable, failure } = error;
  const { status, retryAfterMs } = failure;
  const detail = Object.freeze({
    code,
    retryable,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
  return Object.freeze({
    success: false,
    errors: Object.freeze([{ stage: "ask", message, detail } as const]),
    provenance: noProvenance,
  });
};

export const toolCaller = (
  model: Model,
  hydrateWith: CreateHydrator = createPrivateHydrator,
): ToolCaller => ({
  toolCall: async (messages, tools, options = {}) => {
    const { settings, repair, ...asking } = options;
    const hydrators = isRuntime(tools) ? hydratorOf(tools) : await hydrateWith(tools.map(readTool));
    const request = { messages, tools: hydrators.list, ...(settings === undefined ? {} : { settings }) };
    const answer = await model.generate(request, asking).catch(toFailedHydration);
    if ("success" in answer) return [answer];
    const calls = markIncompleteCalls(answer.calls, answer.finish);
    return hydrators.hydrate(
      calls.filter((call) => call.providerExecuted !== true),
      repair,
    );
  },
});
