import { AIMessage } from "@langchain/core/messages";
import { type StructuredToolInterface, tool } from "@langchain/core/tools";
import { input, type ModelReply, run, toolDescription, toolName } from "../case.ts";

/** LangChain tools return text, so the result is serialized inside the tool. */
export const weather: StructuredToolInterface = tool(async (given) => JSON.stringify(run(given)), {
  name: toolName,
  description: toolDescription,
  schema: input,
});

export const toMessage = (reply: ModelReply): AIMessage =>
  reply.kind === "text"
    ? new AIMessage(reply.text)
    : new AIMessage({
        content: "",
        tool_calls: reply.calls.map((call) => ({
          type: "tool_call",
          id: call.id,
          name: call.tool,
          args: JSON.parse(call.input),
        })),
      });
