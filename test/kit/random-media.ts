import fc from "fast-check";
import type { ContentPart, MediaPart, Message } from "../../src/types/message.ts";
import { randomConversation } from "./random-conversation.ts";

const mediaTypes = [
  "image/png",
  "image/jpeg",
  "image/tiff",
  "audio/wav",
  "audio/flac",
  "application/pdf",
  "application/zip",
  "text/plain",
  "application/json",
] as const;

interface MediaSeed {
  readonly mediaType: (typeof mediaTypes)[number];
  readonly isLink: boolean;
  readonly name: string | undefined;
  readonly text: string | undefined;
}

const mediaSeed: fc.Arbitrary<MediaSeed> = fc.record({
  mediaType: fc.constantFrom(...mediaTypes),
  isLink: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  name: fc.option(fc.constantFrom("plan.png", "Größe.pdf", 'a "quoted" name'), { nil: undefined }),
  text: fc.option(fc.constantFrom("look at this", "and this"), { nil: undefined }),
});

const kindOf = (mediaType: string): MediaPart["kind"] => {
  const [top] = mediaType.split("/", 1);
  return top === "image" || top === "audio" ? top : "file";
};

/** Each part contains its number in its bytes or its URL, so that it can be found anywhere. */
const toPart = ({ mediaType, isLink, name }: MediaSeed, number: number): MediaPart => {
  const common = { kind: kindOf(mediaType), mediaType, ...(name === undefined ? {} : { name }) };
  return isLink
    ? { ...common, url: `https://media.example/part-${number}-end` }
    : { ...common, data: Buffer.from(`part-${number}-end`).toString("base64") };
};

const withMedia = (
  messages: readonly Message[],
  seeds: readonly (readonly MediaSeed[])[],
): readonly Message[] => {
  let number = 0;
  return messages.map((message, at): Message => {
    const own = seeds[at % Math.max(1, seeds.length)] ?? [];
    if (message.role === "system" || own.length === 0) return message;
    const parts = own.flatMap((each): readonly ContentPart[] => [
      ...(each.text === undefined || message.role !== "user"
        ? []
        : [{ kind: "text" as const, text: each.text }]),
      toPart(each, number++),
    ]);
    if (message.role !== "user") return { ...message, parts };
    return { ...message, content: [{ kind: "text", text: String(message.content) }, ...parts] };
  });
};

/** Valid conversations in which users, tools and models send numbered media. */
export const randomMediaConversation: fc.Arbitrary<readonly Message[]> = fc
  .tuple(randomConversation, fc.array(fc.array(mediaSeed, { maxLength: 3 }), { maxLength: 6 }))
  .map(([messages, seeds]) => withMedia(messages, seeds));

/** How a part is found in any text form: by its bytes, its URL, or its text. */
export const partMarkers = (part: MediaPart): readonly string[] =>
  part.data === undefined ? [part.url] : [part.data, Buffer.from(part.data, "base64").toString()];
