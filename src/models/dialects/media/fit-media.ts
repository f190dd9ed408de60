import {
  type AssistantMessage,
  type ContentPart,
  decodeTextFile,
  describeMedia,
  isMedia,
  type MediaPart,
  type Message,
  type ToolMessage,
  textOf,
  type UserMessage,
} from "../../../types/message.ts";
import type { AcceptedMedia, OmittedPart } from "../../../types/model.ts";

export interface FittedMessages {
  readonly messages: readonly Message[];
  readonly losses: readonly OmittedPart[];
}

const noMedia: AcceptedMedia = Object.freeze({ data: [] });

/** Replaces media that the model does not accept: text files by their text, others by a sentence. */
export const fitMedia = (
  messages: readonly Message[],
  acceptedMedia: AcceptedMedia = noMedia,
): FittedMessages => {
  const losses: OmittedPart[] = [];
  const fitted = messages.map((message, at) => {
    const parts = partsOf(message);
    if (parts === undefined) return message;
    const kept = parts.map((part, index) =>
      fitPart(part, acceptedMedia, { message: at, part: index }, losses),
    );
    return replaceParts(message, kept);
  });
  return { messages: losses.length > 0 || messages.some(partsOf) ? fitted : messages, losses };
};

const partsOf = (message: Message): readonly ContentPart[] | undefined => {
  if (message.role === "user") return typeof message.content === "string" ? undefined : message.content;
  return message.role === "system" ? undefined : message.parts;
};

const fitPart = (
  part: ContentPart,
  acceptedMedia: AcceptedMedia,
  place: Pick<OmittedPart, "message" | "part">,
  losses: OmittedPart[],
): ContentPart => {
  if (!isMedia(part) || isAccepted(part, acceptedMedia)) return part;
  const written = decodeText(part);
  if (written !== undefined) return { kind: "text", text: written };
  const { kind, mediaType } = part;
  losses.push(Object.freeze({ ...place, kind, mediaType, reason: lossReason(part, acceptedMedia) }));
  return { kind: "text", text: `[${describeMedia(part)}: it cannot be shown to you.]` };
};

const isAccepted = ({ mediaType, data }: MediaPart, acceptedMedia: AcceptedMedia): boolean => {
  const type = mediaType.toLowerCase();
  const patterns = (data === undefined ? acceptedMedia.url : acceptedMedia.data) ?? [];
  return patterns.some((each) => each === "*" || each === type || each === `${type.split("/", 1)[0]}/*`);
};

const lossReason = ({ mediaType, data }: MediaPart, { data: types, url = [] }: AcceptedMedia): string => {
  const taken = data === undefined ? url : types;
  const how = data === undefined ? " by URL" : "";
  const others = taken.length === 0 ? "no media" : taken.join(", ");
  return `The model does not declare that it accepts ${mediaType}${how}; it accepts ${others}. If it does accept it, add it to the option \`takes\` of its client.`;
};

const decodeText = (part: MediaPart): string | undefined => {
  const written = decodeTextFile(part);
  if (written === undefined) return undefined;
  const called = part.name === undefined ? "" : ` ${JSON.stringify(part.name)}`;
  return `File${called} (${part.mediaType}):\n${written}`;
};

/** Results and replies have no other place for text. */
const replaceParts = (
  message: UserMessage | ToolMessage | AssistantMessage | Message,
  kept: readonly ContentPart[],
): Message => {
  const media = kept.filter(isMedia);
  if (message.role === "user") {
    return { ...message, content: media.length === 0 ? textOf({ content: kept }) : kept };
  }
  if (message.role === "system") return message;
  const { parts: _, ...rest } = message;
  const texts = kept.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  const content = [...(message.content === "" ? [] : [message.content]), ...texts].join("\n");
  return { ...rest, content, ...(media.length === 0 ? {} : { parts: media }) } as Message;
};

/** In base64 characters. */
export const mediaLength = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => {
    for (const part of partsOf(message) ?? []) if (isMedia(part)) sum += part.data?.length ?? 0;
    return sum;
  }, 0);

export const dataUrl = ({ mediaType, data, url }: MediaPart): string =>
  data === undefined ? url : `data:${mediaType};base64,${data}`;

/** Providers require a name and use its extension. */
export const fileName = ({ mediaType, name }: MediaPart): string =>
  name ?? (mediaType.toLowerCase() === "application/pdf" ? "document.pdf" : "file");
