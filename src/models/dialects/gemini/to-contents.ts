import type { RawCall } from "../../../types/call.ts";
import { type ContentPart, mediaOf } from "../../../types/content.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../../types/message.ts";
import { isGeneratedId } from "../generate-ids.ts";
import { moveMedia } from "../media/move-media.ts";
import { toObjectArguments } from "../to-object-arguments.ts";
import { toVendorMessages } from "../to-vendor-messages.ts";
import { echoedParts } from "./echo.ts";
import type { GeminiCall, GeminiContent, GeminiPart } from "./gemini-part.ts";
import { toGeminiMedia } from "./media.ts";

export interface GeminiConversation {
  readonly systemInstruction?: string;
  readonly contents: readonly GeminiContent[];
}

interface ContentOptions {
  /** Placeholder, because Gemini requires a signature on the first call of a step. */
  readonly unsigned?: string;
  /** Otherwise media follows in a separate content. */
  readonly mediaInReplies?: boolean;
}

const toCall = ({ id, tool, input }: RawCall): GeminiCall => ({
  ...(isGeneratedId("gemini", id) ? {} : { id }),
  name: tool,
  args: toObjectArguments(input),
});

const toModelParts = (
  message: AssistantMessage,
  calls: readonly RawCall[],
  spelling: ContentOptions,
): GeminiPart[] => {
  const { unsigned } = spelling;
  const parts: GeminiPart[] = message.content === "" ? [] : [{ text: message.content }];
  parts.push(...mediaOf(message.parts).map(toGeminiMedia));
  for (const [index, call] of calls.entries()) {
    const signature = index === 0 && unsigned !== undefined ? { thoughtSignature: unsigned } : {};
    parts.push({ functionCall: toCall(call), ...signature });
  }
  return parts;
};

const toResponse = (message: ToolMessage, asked: GeminiCall | undefined): GeminiPart => ({
  functionResponse: {
    ...(asked?.id === undefined ? {} : { id: asked.id }),
    name: asked?.name ?? message.tool,
    response: message.ok ? { output: message.content } : { error: message.content },
    ...(message.parts === undefined ? {} : { parts: mediaOf(message.parts).map(toGeminiMedia) }),
  },
});

const toPart = (part: ContentPart): GeminiPart =>
  part.kind === "text" ? { text: part.text } : toGeminiMedia(part);

const toParts = (content: string | readonly ContentPart[]): readonly GeminiPart[] =>
  typeof content === "string" ? [{ text: content }] : content.map(toPart);

/** Replies to one step form one content. A reply has an id only if its call has one. */
export const toContents = (
  messages: readonly Message[],
  spelling: ContentOptions = {},
): GeminiConversation => {
  const system: string[] = [];
  const contents: GeminiContent[] = [];
  const callsById = new Map<string, GeminiCall>();
  let replies: GeminiPart[] | undefined;
  const holds = ({ role }: Message): boolean => role === "assistant" || spelling.mediaInReplies === true;
  for (const message of moveMedia(toVendorMessages(messages, /./), holds)) {
    if (message.role === "tool") {
      if (replies === undefined) {
        replies = [];
        contents.push({ role: "user", parts: replies });
      }
      replies.push(toResponse(message, callsById.get(message.callId)));
      continue;
    }
    replies = undefined;
    if (message.role === "system") system.push(message.content);
    else if (message.role === "user") contents.push({ role: "user", parts: toParts(message.content) });
    else {
      const { calls = [] } = message;
      const parts = echoedParts(message, calls) ?? toModelParts(message, calls, spelling);
      const spoken = parts.flatMap(({ functionCall }) => functionCall ?? []);
      for (const [index, { id }] of calls.entries()) callsById.set(id, spoken[index]!);
      // Contents without parts are refused.
      if (parts.length > 0) contents.push({ role: "model", parts });
    }
  }
  return { ...(system.length === 0 ? {} : { systemInstruction: system.join("\n\n") }), contents };
};
