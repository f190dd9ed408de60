import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { createAgent } from "langchain";
import { fakeModel, prompt } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";
import { toMessage, weather } from "./langchain-tool.ts";

class FakeChat extends BaseChatModel {
  readonly ask: ReturnType<typeof fakeModel>;

  constructor(calls: number) {
    super({});
    this.ask = fakeModel(calls);
  }

  override _llmType(): string {
    return "fake";
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(): Promise<ChatResult> {
    const message = toMessage(await this.ask());
    return { generations: [{ text: String(message.content), message }] };
  }
}

export const langchainAgent: Contender = {
  name: "LangChain createAgent",
  version: versionOf("langchain"),
  make: async (calls) => {
    const agent = createAgent({ model: new FakeChat(calls), tools: [weather] });
    const turn = () => agent.invoke({ messages: [{ role: "user", content: prompt }] });
    return verified(calls, turn, ({ messages }) => ({
      text: String(messages.at(-1)?.content),
      results: messages
        .filter((message) => ToolMessage.isInstance(message))
        .map((message) => JSON.parse(String(message.content))),
    }));
  },
};
