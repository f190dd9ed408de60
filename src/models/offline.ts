import { ConfigurationError } from "../types/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../types/model.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { vendorModel } from "./vendor-model.ts";

/** Options of the offline model. */
export interface OfflineOptions {
  /** Minimum score of a tool, 0 to 1. Unless set: 0.1. */
  readonly minScore?: number;
}

/**
 * A planner with fixed rules, for examples and tests without a key. It calls the tool that matches the message
 * best, with arguments from the message, and answers with the results. Its token usage is an estimate.
 */
export const offline = (options: OfflineOptions = {}): Model & ToolCaller => {
  const { minScore = 0.1 } = options;
  if (typeof minScore !== "number" || !(minScore > 0 && minScore <= 1))
    throw new ConfigurationError("invalid_config", "offline: minScore must be a number above 0 and up to 1.");

  const generate = async (request: ModelRequest): Promise<ModelReply> => {
    // Loaded on the first request, because the vocabulary of the tool search is large.
    const { planReply } = await import("./offline/plan-reply.ts");
    return planReply(request, minScore);
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const reply = await generate(request);
    for (const text of reply.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      yield { kind: "text", text };
      signal.throwIfAborted();
    }
    for (const { id, tool } of reply.calls) yield { kind: "call", id, tool };
    signal.throwIfAborted();
    yield { kind: "reply", reply };
  }

  return vendorModel("offline/planner", { generate, stream, takesOutput: () => true });
};
