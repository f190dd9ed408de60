import type { JsonObject } from "../../../base/json/is-object.ts";
import type { RawCall } from "../../../types/call.ts";
import type { ContentPart } from "../../../types/content.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../../types/message.ts";
import { moveMedia } from "../media/move-media.ts";
import type { OfferedTool } from "../offered-tool.ts";
import { searchableNames } from "../provider-search.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";
import { echoedBlocks } from "./echo.ts";
import { toAnthropicBlock } from "./media.ts";
import { searchedBlock } from "./tool-search.ts";

export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly JsonObject[];
}

export interface AnthropicConversation {
  readonly system?: string;
  readonly messages: readonly AnthropicMessage[];
}

const acceptedId = /^[a-zA-Z0-9_-]{1,64}$/;

const toToolUse = ({ id, tool, input }: RawCall): JsonObject => ({
  type: "tool_use",
  id,
  name: tool,
  input: toObjectArguments(input),
});

/** The provider refuses empty text blocks. */
const toText = (text: string): readonly JsonObject[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

const toAssistantContent = ({ content, calls = [] }: AssistantMessage): readonly JsonObject[] => [
  ...toText(content),
  ...calls.map(toToolUse),
];

/** Error results and assistant messages cannot contain media. */
const canHoldMedia = (message: ToolMessage | AssistantMessage): boolean =>
  message.role === "tool" && message.ok;

const toUser = ({ content }: UserMessage): AnthropicMessage["content"] =>
  typeof content === "string" ? content : toBlocks(content);

const toBlocks = (parts: readonly ContentPart[]): readonly JsonObject[] =>
  parts.flatMap((part) => (part.kind === "text" ? toText(part.text) : [toAnthropicBlock(part)]));

const toToolResult = ({ callId, content, parts, ok }: ToolMessage): JsonObject => ({
  type: "tool_result",
  tool_use_id: callId,
  ...(parts === undefined
    ? content === ""
      ? {}
      : { content }
    : { content: [...toText(content), ...toBlocks(parts)] }),
  ...(ok ? {} : { is_error: true }),
});

/** Replies to the calls of one message must be in the next user message. */
export const toAnthropicMessages = (
  conversation: readonly Message[],
  listed: readonly OfferedTool[] = [],
): AnthropicConversation => {
  const names = searchableNames(listed);
  const system: string[] = [];
  const messages: AnthropicMessage[] = [];
  let results: JsonObject[] | undefined;
  for (const message of moveMedia(toVendorMessages(conversation, acceptedId), canHoldMedia)) {
    if (message.role === "tool") {
      if (results === undefined) {
        results = [];
        messages.push({ role: "user", content: results });
      }
      results.push(toToolResult(message));
      continue;
    }
    results = undefined;
    if (message.role === "system") system.push(message.content);
    else if (message.role === "user") messages.push({ role: "user", content: toUser(message) });
    else {
      const echoed = echoedBlocks(message, { toText, toToolUse });
      const content = echoed?.flatMap((block) => searchedBlock(block, names)) ?? toAssistantContent(message);
      // The provider refuses empty messages.
      if (content.length > 0) messages.push({ role: "assistant", content });
    }
  }
  return { ...(system.length === 0 ? {} : { system: system.join("\n\n") }), messages };
};
