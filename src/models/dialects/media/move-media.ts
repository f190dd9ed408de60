import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  mediaOf,
  type ToolMessage,
} from "../../../types/message.ts";

/** Moves media into the next user message, after all replies, with a sentence about its origin. */
export const moveMedia = (
  messages: readonly Message[],
  canHoldMedia: (message: ToolMessage | AssistantMessage) => boolean = () => false,
): readonly Message[] => {
  const moved: Message[] = [];
  let waiting: ContentPart[] = [];
  const flush = (): void => {
    if (waiting.length > 0) moved.push({ role: "user", content: waiting });
    waiting = [];
  };
  for (const message of messages) {
    if (message.role === "user" && waiting.length > 0) {
      // Many models require alternating roles.
      moved.push({ role: "user", content: [...waiting, ...toParts(message.content)] });
      waiting = [];
      continue;
    }
    if (message.role !== "tool") flush();
    if (message.role === "system" || message.role === "user" || message.parts === undefined) {
      moved.push(message);
      continue;
    }
    if (canHoldMedia(message)) {
      moved.push(message);
      continue;
    }
    const { parts, ...rest } = message;
    const media = mediaOf(parts);
    if (media.length > 0) waiting.push({ kind: "text", text: originOf(message) }, ...media);
    moved.push({ ...rest, content: appendTexts(message.content, parts) } as Message);
  }
  flush();
  return moved;
};

const toParts = (content: string | readonly ContentPart[]): readonly ContentPart[] =>
  typeof content === "string" ? [{ kind: "text", text: content }] : content;

const originOf = (message: ToolMessage | AssistantMessage): string =>
  message.role === "tool"
    ? `Media of the result of ${JSON.stringify(message.tool)} (call ${message.callId}):`
    : "Media of your reply:";

const appendTexts = (content: string, parts: readonly ContentPart[]): string =>
  [content, ...parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))]
    .filter((text) => text !== "")
    .join("\n");
