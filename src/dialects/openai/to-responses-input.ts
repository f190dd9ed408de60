import type { JsonObject } from "../../json/is-object.ts";
import type { RawCall } from "../../words/call.ts";
import type { AssistantMessage, Message } from "../../words/message.ts";
import { foundNames } from "../deferred.ts";
import type { OfferedTool } from "../listed.ts";
import { messagesForVendor } from "../messages-for-vendor.ts";
import { echoedItems } from "./responses-echo.ts";
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

/** For the responses interface, where calls and their outputs are items of their own. */
export const toResponsesInput = (
  messages: readonly Message[],
  listed: readonly OfferedTool[] = [],
): readonly JsonObject[] => {
  const names = foundNames(listed);
  return messagesForVendor(messages, takenId).flatMap((message): readonly JsonObject[] => {
    if (message.role === "assistant") {
      const echoed = echoedItems(message, toFunctionCall);
      return echoed?.flatMap((item) => searchedItem(item, names)) ?? written(message);
    }
    if (message.role !== "tool") return [{ role: message.role, content: message.content }];
    return [{ type: "function_call_output", call_id: message.callId, output: message.content }];
  });
};
