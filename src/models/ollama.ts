import { ollamaReader } from "../dialects/ollama/read-reply.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../words/model.ts";
import { checkClient } from "./check-client.ts";
import { collected } from "./collected.ts";
import { type OllamaOptions, ollamaChat } from "./ollama/chat.ts";
import { toRequest } from "./ollama/to-request.ts";
import { readTakes } from "./read-takes.ts";
import type { ToolCaller } from "./tool-call.ts";
import { vendorModel } from "./vendor-model.ts";

export type { OllamaClient, OllamaOptions } from "./ollama/chat.ts";

/** A model of an Ollama server, over the package `ollama`, which is loaded on first use. */
export const ollama = (modelId: string, options: OllamaOptions = {}): Model & ToolCaller => {
  checkClient("ollama", modelId, options, ["host", "headers", "fetch", "takes", "client"]);
  const takes = readTakes("ollama", options.takes);
  if (takes?.url !== undefined) {
    const message = "ollama: `takes` has no `url`: the server opens no addresses. Send bytes.";
    throw new ConfigurationError("invalid_config", message);
  }
  const id = `ollama/${modelId}`;
  const chat = ollamaChat(id, options);

  const generate = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const reader = ollamaReader(id, request.messages);
    reader.push(await chat(toRequest(modelId, request, false), signal));
    return reader.reply();
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const reader = ollamaReader(id, request.messages);
    const events = (await chat(toRequest(modelId, request, true), signal)) as AsyncIterable<unknown>;
    yield* collected(id, events, reader);
  }

  // The grammar of an answer would leave no room for a call.
  const takesOutput = (_: unknown, tools: readonly unknown[]): boolean => tools.length === 0;
  return vendorModel(id, { generate, stream, takesOutput, takes });
};
