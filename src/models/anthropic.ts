import { openOnce } from "../base/credentials/open-once.ts";
import type { JsonObject } from "../base/json/json-value.ts";
import { checkPackage, missingPackage } from "../base/platform/peer-packages.ts";
import type { AcceptedMedia, Model, ModelRequest } from "../types/model.ts";
import { argumentTextFetch } from "./argument-text-fetch.ts";
import { checkClientOptions, readAcceptedMedia, readApiKey, readBaseUrl } from "./check-client-options.ts";
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

/** The used part of the SDK's client. */
export interface AnthropicClient {
  readonly messages: { create(body: never, options?: never): PromiseLike<unknown> };
}

/** How `anthropic` reaches the provider. */
export interface AnthropicOptions {
  /** Default: ANTHROPIC_API_KEY. */
  readonly apiKey?: string;
  /** URL of a compatible server, without `/v1`. */
  readonly baseUrl?: string;
  /** Alias of `baseUrl`, as in the SDK. */
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit for requests without one, because the provider requires it. Default: 8,192. */
  readonly maxTokens?: number;
  /** Replaces the global fetch, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /** Additional request fields, such as `thinking`. They cannot replace fields that Haft sets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /**
   * Whether the provider searches tools, for an agent's `toolSearch: { by: "provider" }`. Default: by model
   * name.
   */
  readonly toolSearch?: boolean;
  /**
   * Whether the model supports JSON Schema output; otherwise an agent's `output` is requested as a tool call.
   * Default: by model name.
   */
  readonly structuredOutput?: boolean;
  /** Accepted media. Default: images and PDF. */
  readonly takes?: AcceptedMedia;
  /** A custom client, such as for Bedrock or Vertex AI. */
  readonly client?: AnthropicClient;
}

/** The SDK's maximum: timeouts are enforced by layers. */
const maxTimeoutMs = 2_147_483_647;

const packageNeed = "The Anthropic client needs";

const createClient = async (options: AnthropicOptions): Promise<AnthropicClient> => {
  if (options.client !== undefined) return options.client;
  const { fetch: given, headers } = options;
  const baseUrl = readBaseUrl("anthropic", options);
  const apiKey = readApiKey(options, "ANTHROPIC_API_KEY", "Anthropic");
  const { Anthropic } = await import("@anthropic-ai/sdk").catch(
    missingPackage("@anthropic-ai/sdk", packageNeed),
  );
  return new Anthropic({
    apiKey,
    timeout: maxTimeoutMs,
    // The SDK would log parts of replies.
    logLevel: "off",
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    fetch: argumentTextFetch("anthropic", given),
    ...(headers === undefined ? {} : { defaultHeaders: { ...headers } }),
  });
};

const anthropicClient = (options: AnthropicOptions): (() => Promise<AnthropicClient>) => {
  if (options.client === undefined) checkPackage("@anthropic-ai/sdk", packageNeed);
  return openOnce(() => createClient(options));
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
