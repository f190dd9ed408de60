import type { JsonObject } from "../../json/is-object.ts";
import type { RawCall } from "../../words/call.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../words/message.ts";
import { foundNames } from "../deferred.ts";
import type { OfferedTool } from "../listed.ts";
import { moveMedia } from "../media/move-media.ts";
import { messagesForVendor } from "../messages-for-vendor.ts";
import { echoedItems } from "./responses-echo.ts";
import { toResponsesPart } from "./responses-media.ts";
import { argumentsText } from "./to-messages.ts";
import { searchedItem } from "./tool-search.ts";

const takenId = /^[\w.:-]{1,64}$/;

export const toFunctionCall = ({ id, tool, input }: RawCall): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: tool,
  arguments: argumentsText(input),
});

const written = ({ content, calls = [] }: AssistantMessage): readonly JsonObject[] => [
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

/** Results hold media; a reply does where its own items bring back what the provider's tool made. */
const holds = (message: ToolMessage | AssistantMessage): boolean =>
  message.role === "tool" || echoedItems(message, toFunctionCall) !== undefined;

/** For the responses interface, where calls and their outputs are items of their own. */
export const toResponsesInput = (
  messages: readonly Message[],
  listed: readonly OfferedTool[] = [],
): readonly JsonObject[] => {
  const names = foundNames(listed);
  return moveMedia(messagesForVendor(messages, takenId), holds).flatMap((message): readonly JsonObject[] => {
    if (message.role === "assistant") {
      const echoed = echoedItems(message, toFunctionCall);
      return echoed?.flatMap((item) => searchedItem(item, names)) ?? written(message);
    }
    if (message.role === "system") return [{ role: "system", content: message.content }];
    return [message.role === "user" ? toUser(message) : toOutput(message)];
  });
};
