import { geminiTakes } from "../dialects/gemini/media.ts";
import { geminiReader } from "../dialects/gemini/read-reply.ts";
import { ModelError } from "../words/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../words/model.ts";
import { checkClient } from "./check-client.ts";
import { collected } from "./collected.ts";
import { type GeminiOptions, geminiClient } from "./gemini/client.ts";
import { takesBoth, toRequest } from "./gemini/to-request.ts";
import { readTakes } from "./read-takes.ts";
import type { ToolCaller } from "./tool-call.ts";
import { vendorModel } from "./vendor-model.ts";

export type { GeminiClient, GeminiOptions } from "./gemini/client.ts";

/** A model of the Gemini API, over the package `@google/genai`, which is loaded on first use. */
export const gemini = (modelId: string, options: GeminiOptions = {}): Model & ToolCaller => {
  checkClient("gemini", modelId, options, ["apiKey", "baseUrl", "baseURL", "fetch", "takes", "client"]);
  const id = `gemini/${modelId}`;
  const client = geminiClient(options);

  const spelled = (request: ModelRequest, signal: AbortSignal): never => {
    const { config, contents, model } = toRequest(modelId, request, signal);
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
    yield* collected(id, await models.generateContentStream(spelled(request, signal)), reader);
  }

  const takesOutput = (_: unknown, tools: readonly unknown[]): boolean =>
    tools.length === 0 || takesBoth(modelId);
  const takes = readTakes("gemini", options.takes, geminiTakes);
  return vendorModel(id, { generate, stream, takesOutput, takes });
};
