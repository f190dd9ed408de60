import type { JsonObject } from "../../../base/json/is-object.ts";
import type { RawCall } from "../../../types/call.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../../types/message.ts";
import { moveMedia } from "../media/move-media.ts";
import type { OfferedTool } from "../offered-tool.ts";
import { searchableNames } from "../provider-search.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";
import { echoedItems } from "./responses-echo.ts";
import { toResponsesPart } from "./responses-media.ts";
import { argumentsText } from "./to-openai-messages.ts";
import { searchedItem } from "./tool-search.ts";

const acceptedId = /^[\w.:-]{1,64}$/;

export const toFunctionCall = ({ id, tool, input }: RawCall): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: tool,
  arguments: argumentsText(input),
});

const toAssistantItems = ({ content, calls = [] }: AssistantMessage): readonly JsonObject[] => [
  ...(content === "" ? [] : [{ role: "assistant", content }]),
  ...calls.map(toFunctionCall),
];

const toUser = ({ content }: UserMessage): JsonObject => ({
  role: "user",
  content: typeof content === "string" ? content : content.map(toResponsesPart),
});

const toOutput = ({ callId, content, parts }: ToolMessage): JsonObject => ({
  type: "function_call_output",
  call_id: callId,
  output:
    parts === undefined ? content : [{ kind: "text" as const, text: content }, ...parts].map(toResponsesPart),
});

const canHoldMedia = (message: ToolMessage | AssistantMessage): boolean =>
  message.role === "tool" || echoedItems(message, toFunctionCall) !== undefined;

export const toResponsesInput = (
  messages: readonly Message[],
  listed: readonly OfferedTool[] = [],
): readonly JsonObject[] => {
  const names = searchableNames(listed);
  return moveMedia(toVendorMessages(messages, acceptedId), canHoldMedia).flatMap(
    (message): readonly JsonObject[] => {
      if (message.role === "assistant") {
        const echoed = echoedItems(message, toFunctionCall);
        return echoed?.flatMap((item) => searchedItem(item, names)) ?? toAssistantItems(message);
      }
      if (message.role === "system") return [{ role: "system", content: message.content }];
      return [message.role === "user" ? toUser(message) : toOutput(message)];
    },
  );
};
