import type { JsonObject } from "../../base/json/json-value.ts";
import { ModelError, type ToolError } from "../../types/errors.ts";
import type { ModelRequest } from "../../types/model.ts";
import { readAcceptedMedia } from "../check-client-options.ts";
import { type ReplyCollector, readField } from "../dialects/model-reply.ts";
import { toOutputFormat } from "../dialects/openai/output-format.ts";
import { readResponsesReply, responsesReplyCollector } from "../dialects/openai/read-responses-reply.ts";
import { toOpenAIResponses } from "../dialects/openai/to-openai-responses.ts";
import {
  canSearchTools,
  responsesMedia,
  toResponsesInput,
  withResponsesSearch,
} from "../dialects/openai/to-responses-input.ts";
import { chosenTool } from "../dialects/tool-choice.ts";
import { toModelError } from "../to-model-error.ts";
import { collectReply, type ModelVendor, requireReply } from "../vendor-model.ts";
import { type OpenAIOptions, openAIClient } from "./openai-client.ts";

/** A response can fail with status 200. */
const throwIfFailed = (id: string, response: unknown): unknown => {
  if (readField(response, "status") !== "failed") return response;
  throw toModelError(id, { error: readField(response, "error") });
};

const notFoundStatuses: ReadonlySet<unknown> = new Set([404, 405, 501]);

/** Most compatible servers support only chat completions. */
const withHint = (error: ToolError): ToolError => {
  const { code, message, ...more } = error.failure;
  if (!notFoundStatuses.has(more.status)) return error;
  const hint = `If this server supports only chat completions, use openai("…", { api: "chat" }).`;
  return new ModelError(code, `${message} ${hint}`, more);
};

const failOnErrorEvents = (id: string, collector: ReplyCollector): ReplyCollector => ({
  ...collector,
  push: (event) => {
    if (readField(event, "type") === "response.failed") throwIfFailed(id, readField(event, "response"));
    return collector.push(event);
  },
});

export const responsesVendor = (id: string, modelId: string, options: OpenAIOptions): ModelVendor => {
  const client = openAIClient(options);

  const ask = async (request: ModelRequest, signal: AbortSignal, stream: boolean): Promise<unknown> => {
    const { responses } = await client();
    const body = { ...toResponsesRequest(modelId, request, options.extra ?? {}), stream };
    try {
      return await responses.create(body as never, { signal, maxRetries: 0 } as never);
    } catch (error) {
      throw options.api === undefined && !signal.aborted ? withHint(toModelError(id, error)) : error;
    }
  };

  return {
    prepare: client,
    searchesTools: options.toolSearch ?? canSearchTools(modelId),
    takes: readAcceptedMedia("openai", options.takes, responsesMedia),
    generate: async (request, signal) =>
      requireReply(
        id,
        readResponsesReply(throwIfFailed(id, await ask(request, signal, false)), request.tools),
      ),
    async *stream(request, signal) {
      const events = (await ask(request, signal, true)) as AsyncIterable<unknown>;
      yield* collectReply(id, events, failOnErrorEvents(id, responsesReplyCollector(request.tools)));
    },
  };
};
const toToolChoice = (request: ModelRequest): JsonObject => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  return { tool_choice: typeof choice === "string" ? choice : { type: "function", name: choice.tool } };
};

/** The API supports neither stop sequences nor a seed. */
const toSettings = ({ settings = {} }: ModelRequest): JsonObject => {
  const { maxTokens, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
  };
};

/** Other models refuse `include`. */
const isReasoning = /^(o[1-9]|gpt-([5-9]|\d\d)(?!.*-chat)|codex-)/;

/** Unstored reasoning must be sent again between calls. */
const sealedThoughts = { include: ["reasoning.encrypted_content"] };

const toResponsesRequest = (model: string, request: ModelRequest, extra: JsonObject): JsonObject => {
  const tools = withResponsesSearch(request.tools, toOpenAIResponses(request.tools).tools);
  return {
    store: false,
    ...(isReasoning.test(model) ? sealedThoughts : {}),
    ...extra,
    model,
    input: toResponsesInput(request.messages, request.tools),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...(request.output === undefined
      ? {}
      : { text: { ...(extra.text as object | undefined), format: toOutputFormat(request.output) } }),
    ...toSettings(request),
  };
};
