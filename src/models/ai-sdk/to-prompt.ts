import type { JsonObject } from "../../base/json/is-object.ts";
import { type ContentPart, mediaOf } from "../../types/content.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../types/message.ts";
import { toObjectArguments } from "../dialects/to-object-arguments.ts";
import { toVendorMessages } from "../dialects/to-vendor-messages.ts";
import { echoedContent } from "./echo.ts";
import { toFilePart, toResultFile } from "./file-parts.ts";
import type { AiSdkMessage } from "./language-model.ts";

const toAssistantContent = (
  version: string,
  { calls = [], content, parts }: AssistantMessage,
): readonly JsonObject[] => [
  ...(content === "" ? [] : [{ type: "text", text: content }]),
  ...mediaOf(parts).map((part) => toFilePart(version, part)),
  ...calls.map(({ id, tool, input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: tool,
    input: toObjectArguments(input),
  })),
];

const toOutput = (version: string, { content, ok, parts }: ToolMessage): JsonObject => {
  if (parts === undefined) return { type: ok ? "text" : "error-text", value: content };
  const files = parts.map((part) =>
    part.kind === "text" ? { type: "text", text: part.text } : toResultFile(version, part),
  );
  return { type: "content", value: [{ type: "text", text: content }, ...files] };
};

const toResult = (version: string, message: ToolMessage, name: string | undefined): JsonObject => ({
  type: "tool-result",
  toolCallId: message.callId,
  toolName: name ?? message.tool,
  output: toOutput(version, message),
});

const toUser = (version: string, content: string | readonly ContentPart[]): readonly JsonObject[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map((part) =>
        part.kind === "text" ? { type: "text", text: part.text } : toFilePart(version, part),
      );

export const toPrompt = (
  wire: string,
  messages: readonly Message[],
  version = "v3",
): readonly AiSdkMessage[] => {
  const prompt: AiSdkMessage[] = [];
  const names = new Map<string, string>();
  let results: JsonObject[] | undefined;
  for (const message of toVendorMessages(messages, /./)) {
    if (message.role === "tool") {
      if (results === undefined) {
        results = [];
        prompt.push({ role: "tool", content: results });
      }
      results.push(toResult(version, message, names.get(message.callId)));
      continue;
    }
    results = undefined;
    if (message.role === "system") prompt.push({ role: "system", content: message.content });
    else if (message.role === "user")
      prompt.push({ role: "user", content: toUser(version, message.content) });
    else {
      for (const { id, tool } of message.calls ?? []) names.set(id, tool);
      const content = echoedContent(wire, message, version) ?? toAssistantContent(version, message);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  return prompt;
};
