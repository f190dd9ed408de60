import { ConfigurationError } from "../types/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../types/model.ts";
import { checkClientOptions, readAcceptedMedia } from "./check-client-options.ts";
import { ollamaReader } from "./dialects/ollama/read-reply.ts";
import { type OllamaOptions, ollamaChat, toOllamaRequest } from "./ollama/ollama-chat.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { collectReply, vendorModel } from "./vendor-model.ts";

export type { OllamaClient, OllamaOptions } from "./ollama/ollama-chat.ts";

/** A model of an Ollama server, over the package `ollama`, which is loaded on first use. */
export const ollama = (modelId: string, options: OllamaOptions = {}): Model & ToolCaller => {
  checkClientOptions("ollama", modelId, options, ["host", "headers", "fetch", "takes", "client"]);
  const takes = readAcceptedMedia("ollama", options.takes);
  if (takes?.url !== undefined) {
    const message =
      "ollama: `takes.url` is not supported, because the server does not fetch URLs. Send bytes.";
    throw new ConfigurationError("invalid_config", message);
  }
  const id = `ollama/${modelId}`;
  const chat = ollamaChat(id, options);

  const generate = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const reader = ollamaReader(id, request.messages);
    reader.push(await chat(toOllamaRequest(modelId, request, false), signal));
    return reader.reply();
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const reader = ollamaReader(id, request.messages);
    const events = (await chat(toOllamaRequest(modelId, request, true), signal)) as AsyncIterable<unknown>;
    yield* collectReply(id, events, reader);
  }

  // The output grammar would not allow a call.
  const takesOutput = (_: unknown, tools: readonly unknown[]): boolean => tools.length === 0;
  return vendorModel(id, { generate, stream, takesOutput, takes });
};
