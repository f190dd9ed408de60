import { isUtf8 } from "node:buffer";

/** A text part of a message. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

/** Kind of a media part; `file` is every other type, such as a document. */
export type MediaKind = "image" | "audio" | "file";

interface MediaFields {
  readonly kind: MediaKind;
  readonly mediaType: string;
  readonly name?: string;
}

/** A media part with its bytes in base64. */
export interface DataPart extends MediaFields {
  readonly data: string;
  readonly url?: never;
}

/** A media part at an https URL that the model's provider opens. */
export interface LinkPart extends MediaFields {
  readonly url: string;
  readonly data?: never;
}

/** An image, audio or file: its bytes or its URL. */
export type MediaPart = DataPart | LinkPart;

/** A part of a message. Plain JSON. */
export type ContentPart = TextPart | MediaPart;

/** A media part without its bytes, for records. */
export interface MediaNote {
  readonly kind: MediaKind;
  readonly mediaType: string;
  readonly name?: string;
  /** Size of the decoded bytes. */
  readonly bytes?: number;
  readonly sha256?: string;
  readonly url?: string;
}

export const isMedia = (part: ContentPart): part is MediaPart => part.kind !== "text";

export const base64ByteLength = (data: string): number =>
  (data.length / 4) * 3 - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

/** Returns the text parts, one per line, without media. */
export const textOf = ({ content }: { readonly content: string | readonly ContentPart[] }): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");

export const mediaOf = (content: string | readonly ContentPart[] | undefined): readonly MediaPart[] =>
  content === undefined || typeof content === "string" ? [] : content.filter(isMedia);

const textTypePattern = /^(text\/|application\/(.+\+)?(json|xml|yaml)$)/i;
/** In base64 characters. */
const maxTextFileLength = 349_528;

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

export const describeMedia = ({ kind, mediaType, name, data, url }: MediaPart): string => {
  const called = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return `${kind}${called} (${mediaType}, ${data === undefined ? url : formatBytes(base64ByteLength(data))})`;
};

export const formatBytes = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
};
