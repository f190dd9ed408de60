import {
  type ContentPart,
  describeMedia,
  isMedia,
  type MediaPart,
  textInFile,
  textOf,
} from "../../words/content.ts";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../words/message.ts";
import type { LostPart, TakenMedia } from "../../words/model.ts";

/** A conversation as a model can be told it, and what of it the model is told of in words only. */
export interface FittedMessages {
  readonly messages: readonly Message[];
  readonly losses: readonly LostPart[];
}

const none: TakenMedia = Object.freeze({ data: [] });

/**
 * Puts words in place of every part that a model does not take: the text of a file that is text, else a sentence, and then
 * the part is named among the losses. What is left of a user's parts is a plain text where no media is among them.
 */
export const fitMedia = (messages: readonly Message[], takes: TakenMedia = none): FittedMessages => {
  const losses: LostPart[] = [];
  const fitted = messages.map((message, at) => {
    const parts = partsOf(message);
    if (parts === undefined) return message;
    const kept = parts.map((part, index) => fitPart(part, takes, { message: at, part: index }, losses));
    return withParts(message, kept);
  });
  return { messages: losses.length > 0 || messages.some(partsOf) ? fitted : messages, losses };
};

const partsOf = (message: Message): readonly ContentPart[] | undefined => {
  if (message.role === "user") return typeof message.content === "string" ? undefined : message.content;
  return message.role === "system" ? undefined : message.parts;
};

const fitPart = (
  part: ContentPart,
  takes: TakenMedia,
  place: Pick<LostPart, "message" | "part">,
  losses: LostPart[],
): ContentPart => {
  if (!isMedia(part) || isTaken(part, takes)) return part;
  const written = wordsOf(part);
  if (written !== undefined) return { kind: "text", text: written };
  const { kind, mediaType } = part;
  losses.push(Object.freeze({ ...place, kind, mediaType, reason: whyLost(part, takes) }));
  return { kind: "text", text: `[${describeMedia(part)}: it cannot be shown to you.]` };
};

/** `*` is any type, `image/*` any picture. */
const isTaken = ({ mediaType, data }: MediaPart, takes: TakenMedia): boolean => {
  const type = mediaType.toLowerCase();
  const patterns = (data === undefined ? takes.url : takes.data) ?? [];
  return patterns.some((each) => each === "*" || each === type || each === `${type.split("/", 1)[0]}/*`);
};

const whyLost = ({ mediaType, data }: MediaPart, { data: types, url = [] }: TakenMedia): string => {
  const taken = data === undefined ? url : types;
  const how = data === undefined ? " by its address" : "";
  const others = taken.length === 0 ? "nothing of the kind" : taken.join(", ");
  return `The model is not known to take ${mediaType}${how}; it takes ${others}. If it does take it, say so in the option \`takes\` of its client.`;
};

/** A file that is text can be told to every model as the text it is. */
const wordsOf = (part: MediaPart): string | undefined => {
  const written = textInFile(part);
  if (written === undefined) return undefined;
  const called = part.name === undefined ? "" : ` ${JSON.stringify(part.name)}`;
  return `File${called} (${part.mediaType}):\n${written}`;
};

/** Words stand behind the text of a result or a reply: there is no other place for them. */
const withParts = (
  message: UserMessage | ToolMessage | AssistantMessage | Message,
  kept: readonly ContentPart[],
): Message => {
  const media = kept.filter(isMedia);
  if (message.role === "user") {
    return { ...message, content: media.length === 0 ? textOf({ content: kept }) : kept };
  }
  if (message.role === "system") return message;
  const { parts: _, ...rest } = message;
  const said = kept.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const content = [...(message.content === "" ? [] : [message.content]), ...said].join("\n");
  return { ...rest, content, ...(media.length === 0 ? {} : { parts: media }) } as Message;
};

/** How many characters of base64 the media of a conversation have together. */
export const mediaLength = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => {
    for (const part of partsOf(message) ?? []) if (isMedia(part)) sum += part.data?.length ?? 0;
    return sum;
  }, 0);
