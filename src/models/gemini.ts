import { ModelError } from "../types/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../types/model.ts";
import { checkClientOptions } from "./check-client-options.ts";
import { collectReply } from "./collect-reply.ts";
import { geminiMedia } from "./dialects/gemini/media.ts";
import { geminiReader } from "./dialects/gemini/read-reply.ts";
import { type GeminiOptions, geminiClient } from "./gemini/gemini-client.ts";
import { canCombineToolsAndSchema, toGeminiRequest } from "./gemini/to-gemini-request.ts";
import { readAcceptedMedia } from "./read-accepted-media.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { vendorModel } from "./vendor-model.ts";

export type { GeminiClient, GeminiOptions } from "./gemini/gemini-client.ts";

/** A model of the Gemini API, over the package `@google/genai`, which is loaded on first use. */
export const gemini = (modelId: string, options: GeminiOptions = {}): Model & ToolCaller => {
  checkClientOptions("gemini", modelId, options, [
    "apiKey",
    "baseUrl",
    "baseURL",
    "fetch",
    "takes",
    "client",
  ]);
  const id = `gemini/${modelId}`;
  const client = geminiClient(options);

  const spelled = (request: ModelRequest, signal: AbortSignal): never => {
    const { config, contents, model } = toGeminiRequest(modelId, request, signal);
    if (contents.length === 0) {
      throw new ModelError(
        "model_bad_request",
        `${id}: the conversation holds nothing but instructions. Add a message of a user.`,
      );
    }
    return { model, contents, config } as never;
  };

  const generate = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const reader = geminiReader(id, request.messages);
    const { models } = await client();
    reader.push(await models.generateContent(spelled(request, signal)));
    return reader.reply();
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const reader = geminiReader(id, request.messages);
    const { models } = await client();
    yield* collectReply(id, await models.generateContentStream(spelled(request, signal)), reader);
  }

  const takesOutput = (_: unknown, tools: readonly unknown[]): boolean =>
    tools.length === 0 || canCombineToolsAndSchema(modelId);
  const takes = readAcceptedMedia("gemini", options.takes, geminiMedia);
  return vendorModel(id, { generate, stream, takesOutput, takes, prepare: client });
};
