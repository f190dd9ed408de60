import type { JsonObject } from "../base/json/json-value.ts";
import type { Model, ModelRequest } from "../types/model.ts";
import { checkClientOptions, readAcceptedMedia } from "./check-client-options.ts";
import { toOutputFormat } from "./dialects/openai/output-format.ts";
import { openAIReplyCollector, readOpenAIReply } from "./dialects/openai/read-reply.ts";
import { toOpenAI } from "./dialects/openai/to-openai.ts";
import { chatMedia, toOpenAIMessages } from "./dialects/openai/to-openai-messages.ts";
import { chosenTool } from "./dialects/tool-choice.ts";
import { type OpenAIOptions, openAIClient } from "./openai/openai-client.ts";
import { responsesVendor } from "./openai/responses-vendor.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { collectReply, type ModelVendor, requireReply, vendorModel } from "./vendor-model.ts";
import { withAnswerNulls } from "./with-answer-nulls.ts";

export type { OpenAIClient, OpenAIOptions } from "./openai/openai-client.ts";

/** A model of OpenAI or of a compatible server, over the package `openai`, which is loaded on first use. */
export const openai = (modelId: string, options: OpenAIOptions = {}): Model & ToolCaller => {
  checkClientOptions("openai", modelId, options, [
    "apiKey",
    "baseUrl",
    "baseURL",
    "api",
    "organization",
    "headers",
    "fetch",
    "extra",
    "toolSearch",
    "structuredOutput",
    "takes",
    "client",
  ]);
  const id = `openai/${modelId}`;
  const vendor = options.api === "chat" ? chatVendor : responsesVendor;
  const takesOutput = (): boolean => options.structuredOutput !== false;
  return vendorModel(id, { ...withAnswerNulls(vendor(id, modelId, options)), takesOutput });
};

const chatVendor = (id: string, modelId: string, options: OpenAIOptions): ModelVendor => {
  const client = openAIClient(options);

  const ask = async (request: ModelRequest, signal: AbortSignal, more: object): Promise<unknown> => {
    const { chat } = await client();
    const body = { ...toChatRequest(modelId, request, options.extra ?? {}), ...more };
    return chat.completions.create(body as never, { signal, maxRetries: 0 } as never);
  };

  return {
    prepare: client,
    takes: readAcceptedMedia("openai", options.takes, chatMedia),
    generate: async (request, signal) =>
      requireReply(id, readOpenAIReply(await ask(request, signal, { stream: false }), request.tools)),
    async *stream(request, signal) {
      const streaming = { stream: true, stream_options: { include_usage: true } };
      const events = (await ask(request, signal, streaming)) as AsyncIterable<unknown>;
      yield* collectReply(id, events, openAIReplyCollector(request.tools));
    },
  };
};
const toResponseFormat = ({ output }: ModelRequest): JsonObject => {
  if (output === undefined) return {};
  const { type, ...format } = toOutputFormat(output);
  return { response_format: { type, json_schema: format } };
};

const toToolChoice = (request: ModelRequest): JsonObject => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  const named = (name: string) => ({ type: "function", function: { name } });
  return { tool_choice: typeof choice === "string" ? choice : named(choice.tool) };
};

const toSettings = ({ settings = {} }: ModelRequest): JsonObject => {
  const { maxTokens, seed, stop, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(stop === undefined ? {} : { stop }),
    ...(seed === undefined ? {} : { seed }),
  };
};

const toChatRequest = (model: string, request: ModelRequest, extra: JsonObject): JsonObject => {
  const { tools } = toOpenAI(request.tools);
  return {
    ...extra,
    model,
    messages: toOpenAIMessages(request.messages),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...toResponseFormat(request),
    ...toSettings(request),
  };
};
