import { openAIReplyCollector, readOpenAIReply } from "../../dialects/openai/read-reply.ts";
import type { ModelRequest } from "../../words/model.ts";
import { collected, readable } from "../collected.ts";
import type { Vendor } from "../vendor-model.ts";
import { toChatRequest } from "./chat-request.ts";
import { type OpenAIOptions, openAIClient } from "./client.ts";

/** Over chat completions. */
export const chatVendor = (id: string, modelId: string, options: OpenAIOptions): Vendor => {
  const client = openAIClient(options);

  const ask = async (request: ModelRequest, signal: AbortSignal, more: object): Promise<unknown> => {
    const { chat } = await client();
    const body = { ...toChatRequest(modelId, request, options.extra ?? {}), ...more };
    return chat.completions.create(body as never, { signal, maxRetries: 0 } as never);
  };

  return {
    generate: async (request, signal) =>
      readable(id, readOpenAIReply(await ask(request, signal, { stream: false }), request.tools)),
    async *stream(request, signal) {
      const streaming = { stream: true, stream_options: { include_usage: true } };
      const events = (await ask(request, signal, streaming)) as AsyncIterable<unknown>;
      yield* collected(id, events, openAIReplyCollector(request.tools));
    },
  };
};
