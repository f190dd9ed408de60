import { isSinceClaude45 } from "../dialects/anthropic/claude-version.ts";
import { anthropicTakes } from "../dialects/anthropic/media.ts";
import { toOutputSchema } from "../dialects/anthropic/output-schema.ts";
import { anthropicReplyCollector, readAnthropicReply } from "../dialects/anthropic/read-reply.ts";
import type { Model, ModelRequest } from "../words/model.ts";
import { withAnswerNulls } from "./answer-nulls.ts";
import { type AnthropicOptions, anthropicClient } from "./anthropic/client.ts";
import { toAnthropicRequest } from "./anthropic/request.ts";
import { checkClient } from "./check-client.ts";
import { collected, readable } from "./collected.ts";
import { readTakes } from "./read-takes.ts";
import type { ToolCaller } from "./tool-call.ts";
import { vendorModel } from "./vendor-model.ts";

export type { AnthropicClient, AnthropicOptions } from "./anthropic/client.ts";

/** A model of Anthropic, over the package `@anthropic-ai/sdk`, which is loaded on first use. */
export const anthropic = (modelId: string, options: AnthropicOptions = {}): Model & ToolCaller => {
  checkClient("anthropic", modelId, options, [
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
  const isRecent = isSinceClaude45(modelId);
  const { toolSearch = isRecent, structuredOutput = isRecent } = options;
  const id = `anthropic/${modelId}`;
  const client = anthropicClient(options);

  const ask = async (request: ModelRequest, signal: AbortSignal, stream: boolean): Promise<unknown> => {
    const { messages } = await client();
    const body = { ...toAnthropicRequest(modelId, request, options), stream };
    return messages.create(body as never, { signal, maxRetries: 0 } as never);
  };

  const vendor = withAnswerNulls({
    searchesTools: toolSearch,
    takesOutput: ({ spec }) => structuredOutput && toOutputSchema(spec) !== undefined,
    takes: readTakes("anthropic", options.takes, anthropicTakes),
    generate: async (request, signal) => readable(id, readAnthropicReply(await ask(request, signal, false))),
    async *stream(request, signal) {
      const events = (await ask(request, signal, true)) as AsyncIterable<unknown>;
      yield* collected(id, events, anthropicReplyCollector());
    },
  });
  return vendorModel(id, vendor);
};
