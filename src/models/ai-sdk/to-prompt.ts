import { messagesForVendor } from "../../dialects/messages-for-vendor.ts";
import { objectArguments } from "../../dialects/object-arguments.ts";
import type { JsonObject } from "../../json/is-object.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../words/message.ts";
import { echoedContent } from "./echo.ts";
import type { AiSdkMessage } from "./language-model.ts";

const written = ({ calls = [], content }: AssistantMessage): readonly JsonObject[] => [
  ...(content === "" ? [] : [{ type: "text", text: content }]),
  ...calls.map(({ id, tool, input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: tool,
    input: objectArguments(input),
  })),
];

const toResult = ({ callId, content, ok, tool }: ToolMessage, name: string | undefined): JsonObject => ({
  type: "tool-result",
  toolCallId: callId,
  toolName: name ?? tool,
  output: { type: ok ? "text" : "error-text", value: content },
});

/** Replies to the calls of one message stand together in one message of the prompt. */
export const toPrompt = (wire: string, messages: readonly Message[]): readonly AiSdkMessage[] => {
  const prompt: AiSdkMessage[] = [];
  const names = new Map<string, string>();
  let results: JsonObject[] | undefined;
  for (const message of messagesForVendor(messages, /./)) {
    if (message.role === "tool") {
      if (results === undefined) {
        results = [];
        prompt.push({ role: "tool", content: results });
      }
      results.push(toResult(message, names.get(message.callId)));
      continue;
    }
    results = undefined;
    if (message.role === "system") prompt.push({ role: "system", content: message.content });
    else if (message.role === "user")
      prompt.push({ role: "user", content: [{ type: "text", text: message.content }] });
    else {
      for (const { id, tool } of message.calls ?? []) names.set(id, tool);
      const content = echoedContent(wire, message) ?? written(message);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  return prompt;
};
