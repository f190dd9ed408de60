import { isUtf8 } from "node:buffer";

/** A piece of text among other parts. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

/** What a part is for, whatever its exact type: a picture, a sound, or a document of any other type. */
export type MediaKind = "image" | "audio" | "file";

interface MediaFields {
  readonly kind: MediaKind;
  /** Such as `image/png`, `audio/wav` or `application/pdf`. */
  readonly mediaType: string;
  /** What a person would call it: `invoice.pdf`. */
  readonly name?: string;
}

/** A picture, a sound or a file with its bytes in base64. */
export interface DataPart extends MediaFields {
  readonly data: string;
  readonly url?: never;
}

/** The same at an address that the model's provider opens. Only `https`. */
export interface LinkPart extends MediaFields {
  readonly url: string;
  readonly data?: never;
}

/** A picture, a sound or a file: its bytes, or where they are. */
export type MediaPart = DataPart | LinkPart;

/** A piece of what somebody says to a model. Plain JSON. */
export type ContentPart = TextPart | MediaPart;

/** A part without its bytes, for records and for whoever only wants to know what there was. */
export interface MediaNote {
  readonly kind: MediaKind;
  readonly mediaType: string;
  readonly name?: string;
  /** Of the bytes themselves, not of their base64. */
  readonly bytes?: number;
  readonly sha256?: string;
  readonly url?: string;
}

export const isMedia = (part: ContentPart): part is MediaPart => part.kind !== "text";

/** How many bytes base64 stands for. */
export const base64ByteLength = (data: string): number =>
  (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

/** The words of a message. Of several parts those of the texts, each on a line of its own; media have none. */
export const textOf = ({ content }: { readonly content: string | readonly ContentPart[] }): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");

/** The media among parts, in their order. */
export const mediaOf = (content: string | readonly ContentPart[] | undefined): readonly MediaPart[] =>
  content === undefined || typeof content === "string" ? [] : content.filter(isMedia);

const textTypePattern = /^(text\/|application\/(.+\+)?(json|xml|yaml)$)/i;
/** In characters of base64. A longer file would be most of a conversation. */
const maxTextFileLength = 349_528;

/** The text of a file that is text, and so can be told to every model. Nothing of any other part. */
export const decodeTextFile = ({ kind, mediaType, data }: MediaPart): string | undefined => {
  if (
    kind !== "file" ||
    data === undefined ||
    data.length > maxTextFileLength ||
    !textTypePattern.test(mediaType)
  ) {
    return undefined;
  }
  const bytes = Buffer.from(data, "base64");
  return isUtf8(bytes) ? bytes.toString() : undefined;
};

/** What a part is, in words: `image "plan.png" (image/png, 12 KB)`. */
export const describeMedia = ({ kind, mediaType, name, data, url }: MediaPart): string => {
  const called = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return `${kind}${called} (${mediaType}, ${data === undefined ? url : formatBytes(base64ByteLength(data))})`;
};

export const formatBytes = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
};
