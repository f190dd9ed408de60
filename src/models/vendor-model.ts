import { ToolError } from "../words/errors.ts";
import type { Model, ModelEvent, ModelOptions, ModelReply, ModelRequest } from "../words/model.ts";
import { toModelError } from "./to-model-error.ts";
import { type ToolCaller, toolCaller } from "./tool-call.ts";

/** One vendor's way to ask once. The signal also aborts when nobody reads on, so that no connection is left open. */
export interface Vendor {
  readonly generate: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>;
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
  /** Takes tools that are deferred, and lets the model search them. */
  readonly searchesTools?: boolean;
  readonly takesOutput?: Model["takesOutput"];
}

/** What an SDK throws over an abort depends on where the abort met it, so the signal is asked first. */
const failureOf = (id: string, error: unknown, signal: AbortSignal | undefined): ToolError => {
  if (signal?.aborted) return toModelError(id, new DOMException("cancelled", "AbortError"));
  return ToolError.is(error) ? error : toModelError(id, error);
};

const withSignal = (controller: AbortController, signal: AbortSignal | undefined): AbortSignal =>
  signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);

export const vendorModel = (id: string, vendor: Vendor): Model & ToolCaller => {
  const generate = async (request: ModelRequest, { signal }: ModelOptions = {}): Promise<ModelReply> => {
    const controller = new AbortController();
    try {
      signal?.throwIfAborted();
      return await vendor.generate(request, withSignal(controller, signal));
    } catch (error) {
      throw failureOf(id, error, signal);
    } finally {
      controller.abort();
    }
  };

  async function* stream(
    request: ModelRequest,
    { signal }: ModelOptions = {},
  ): AsyncGenerator<ModelEvent, void> {
    const controller = new AbortController();
    try {
      signal?.throwIfAborted();
      yield* vendor.stream(request, withSignal(controller, signal));
    } catch (error) {
      throw failureOf(id, error, signal);
    } finally {
      controller.abort();
    }
  }

  const searchesTools = vendor.searchesTools === true ? { searchesTools: true } : {};
  const takesOutput = vendor.takesOutput === undefined ? {} : { takesOutput: vendor.takesOutput };
  const model: Model = { id, generate, stream, ...searchesTools, ...takesOutput };
  return { ...model, ...toolCaller(model) };
};
