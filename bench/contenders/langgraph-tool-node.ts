import type { ToolMessage } from "@langchain/core/messages";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { fakeModel } from "../case.ts";
import { type Contender, verified, versionOf } from "../contender.ts";
import { toMessage, weather } from "./langchain-tool.ts";

export const langgraphToolNode: Contender = {
  name: "LangGraph ToolNode",
  version: versionOf("@langchain/langgraph"),
  make: async (calls) => {
    const node = new ToolNode([weather]);
    const ask = fakeModel(calls);
    const turn = async () => {
      const { messages }: { messages: ToolMessage[] } = await node.invoke({
        messages: [toMessage(await ask())],
      });
      return { messages, end: await ask() };
    };
    return verified(calls, turn, ({ messages, end }) => ({
      text: end.kind === "text" ? end.text : undefined,
      results: messages.map((message) => JSON.parse(String(message.content))),
    }));
  },
};
