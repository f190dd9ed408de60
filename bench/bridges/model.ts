import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { MockLanguageModelV4 } from "ai/test";
import { fakeModel, type ModelReply } from "../case.ts";

/** Unique call ids, because a session would replay the result of a repeated id. */
const unrepeated = (calls: number): (() => Promise<ModelReply>) => {
  const ask = fakeModel(calls);
  let count = 0;
  return async () => {
    const reply = await ask();
    if (reply.kind === "text") return reply;
    return { ...reply, calls: reply.calls.map((call) => ({ ...call, id: `call_${++count}` })) };
  };
};

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

export const aiSdkModel = (calls: number): MockLanguageModelV4 => {
  const ask = unrepeated(calls);
  const model: MockLanguageModelV4 = new MockLanguageModelV4({
    doGenerate: async () => {
      // The mock's own log would grow with every turn.
      model.doGenerateCalls.length = 0;
      const reply = await ask();
      const isText = reply.kind === "text";
      return {
        content: isText
          ? [{ type: "text", text: reply.text }]
          : reply.calls.map(({ id, tool, input }) => ({
              type: "tool-call",
              toolCallId: id,
              toolName: tool,
              input,
            })),
        finishReason: isText
          ? { unified: "stop", raw: "stop" }
          : { unified: "tool-calls", raw: "tool_calls" },
        usage,
        warnings: [],
      };
    },
  });
  return model;
};

export class LangChainModel extends BaseChatModel {
  readonly ask: ReturnType<typeof fakeModel>;

  constructor(calls: number) {
    super({});
    this.ask = unrepeated(calls);
  }

  override _llmType(): string {
    return "fake";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<ChatResult> {
    const reply = await this.ask();
    const message =
      reply.kind === "text"
        ? new AIMessage(reply.text)
        : new AIMessage({
            content: "",
            tool_calls: reply.calls.map(({ id, tool, input }) => ({
              id,
              name: tool,
              args: JSON.parse(input),
            })),
          });
    return { generations: [{ text: String(message.content), message }] };
  }
}
