import { ModelError } from "../types/errors.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest, ModelSettings } from "../types/model.ts";
import { checkClientOptions, readAcceptedMedia } from "./check-client-options.ts";
import { geminiReader } from "./dialects/gemini/read-reply.ts";
import { type GeminiConversation, geminiMedia, toContents } from "./dialects/gemini/to-contents.ts";
import { toGemini, toResponseSchema } from "./dialects/gemini/to-gemini.ts";
import { isVersionAtLeast } from "./dialects/model-reply.ts";
import { chosenTool } from "./dialects/tool-choice.ts";
import { type GeminiOptions, geminiClient } from "./gemini/gemini-client.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { collectReply, vendorModel } from "./vendor-model.ts";

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
        `${id}: the conversation has only instructions. Add a user message.`,
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

interface GeminiRequest {
  readonly model: string;
  readonly contents: GeminiConversation["contents"];
  readonly config: Readonly<Record<string, unknown>>;
}

/** Google's placeholder for calls without a signature. */
const skipSignature = "skip_thought_signature_validator";
const withoutSignatures = /gemini-[12]\b|gemma/;
/** Gemini 3 and later. */
const canReadMediaInReplies = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

/** Earlier models refuse tools together with an output schema. */
const canCombineToolsAndSchema = (modelId: string): boolean =>
  isVersionAtLeast(modelId, /gemini-(\d+)(?:\.(\d+))?/, [3, 0]);

const toToolConfig = (choice: NonNullable<ModelSettings["toolChoice"]>) => {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.tool] };
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
};

const toSettings = ({ maxTokens, seed, stop, temperature, topP }: ModelSettings) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { topP }),
  ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
  ...(stop === undefined ? {} : { stopSequences: stop }),
  ...(seed === undefined ? {} : { seed }),
});

const toGeminiRequest = (model: string, request: ModelRequest, signal: AbortSignal): GeminiRequest => {
  const { messages, settings = {}, tools, output } = request;
  const spelling = {
    ...(withoutSignatures.test(model) ? {} : { unsigned: skipSignature }),
    mediaInReplies: canReadMediaInReplies(model),
  };
  const { contents, systemInstruction } = toContents(messages, spelling);
  const shown = toGemini(tools).tools;
  const choice = chosenTool(request);
  return {
    model,
    contents,
    config: {
      abortSignal: signal,
      // Both would send requests that are not counted, limited or recorded.
      automaticContinuation: false,
      automaticFunctionCalling: { disable: true },
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(shown.length === 0 ? {} : { tools: shown }),
      ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: toToolConfig(choice) } }),
      ...(output === undefined
        ? {}
        : { responseMimeType: "application/json", responseJsonSchema: toResponseSchema(output.spec) }),
      ...toSettings(settings),
    },
  };
};
