import type { JsonObject } from "../base/json/json-value.ts";
import type { Model, ModelRequest } from "../types/model.ts";
import { type AnthropicOptions, anthropicClient } from "./anthropic/anthropic-client.ts";
import { checkClientOptions, readAcceptedMedia } from "./check-client-options.ts";
import { isClaude45OrLater } from "./dialects/anthropic/is-claude-45-or-later.ts";
import { anthropicReplyCollector, readAnthropicReply } from "./dialects/anthropic/read-reply.ts";
import { toAnthropic } from "./dialects/anthropic/to-anthropic.ts";
import { anthropicMedia, toAnthropicMessages } from "./dialects/anthropic/to-anthropic-messages.ts";
import { toOutputSchema } from "./dialects/anthropic/to-output-schema.ts";
import { withAnthropicSearch } from "./dialects/anthropic/tool-search.ts";
import { chosenTool } from "./dialects/tool-choice.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { collectReply, requireReply, vendorModel } from "./vendor-model.ts";
import { withAnswerNulls } from "./with-answer-nulls.ts";

export type { AnthropicClient, AnthropicOptions } from "./anthropic/anthropic-client.ts";

/** A model of Anthropic, over the package `@anthropic-ai/sdk`, which is loaded on first use. */
export const anthropic = (modelId: string, options: AnthropicOptions = {}): Model & ToolCaller => {
  checkClientOptions("anthropic", modelId, options, [
    "apiKey",
    "baseUrl",
    "baseURL",
    "headers",
    "maxTokens",
    "fetch",
    "extra",
    "toolSearch",
    "structuredOutput",
    "takes",
    "client",
  ]);
  const isRecent = isClaude45OrLater(modelId);
  const { toolSearch = isRecent, structuredOutput = isRecent } = options;
  const id = `anthropic/${modelId}`;
  const client = anthropicClient(options);

  const ask = async (request: ModelRequest, signal: AbortSignal, stream: boolean): Promise<unknown> => {
    const { messages } = await client();
    const body = { ...toAnthropicRequest(modelId, request, options), stream };
    return messages.create(body as never, { signal, maxRetries: 0 } as never);
  };

  const vendor = withAnswerNulls({
    prepare: client,
    searchesTools: toolSearch,
    takesOutput: ({ spec }) => structuredOutput && toOutputSchema(spec) !== undefined,
    takes: readAcceptedMedia("anthropic", options.takes, anthropicMedia),
    generate: async (request, signal) =>
      requireReply(id, readAnthropicReply(await ask(request, signal, false))),
    async *stream(request, signal) {
      const events = (await ask(request, signal, true)) as AsyncIterable<unknown>;
      yield* collectReply(id, events, anthropicReplyCollector());
    },
  });
  return vendorModel(id, vendor);
};

const toToolChoice = (request: ModelRequest): JsonObject => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  if (typeof choice === "object") return { tool_choice: { type: "tool", name: choice.tool } };
  return { tool_choice: { type: choice === "required" ? "any" : choice } };
};

/** The provider has no seed. */
const toSettings = ({ settings = {} }: ModelRequest): JsonObject => {
  const { stop, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
  };
};

const toOutputConfig = ({ output }: ModelRequest, extra: JsonObject | undefined): JsonObject => {
  if (output === undefined) return {};
  const format = { type: "json_schema", schema: toOutputSchema(output.spec) };
  return { output_config: { ...(extra?.output_config as object | undefined), format } };
};

/** The smallest reply limit of current models. */
const defaultMaxTokens = 8_192;

interface RequestDefaults {
  readonly maxTokens?: number;
  readonly extra?: JsonObject;
}

const toAnthropicRequest = (
  model: string,
  request: ModelRequest,
  { extra, maxTokens = defaultMaxTokens }: RequestDefaults,
): JsonObject => {
  const tools = withAnthropicSearch(request.tools, toAnthropic(request.tools).tools);
  return {
    ...extra,
    model,
    max_tokens: request.settings?.maxTokens ?? maxTokens,
    ...toAnthropicMessages(request.messages, request.tools),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...toOutputConfig(request, extra),
    ...toSettings(request),
  };
};
