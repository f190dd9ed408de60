import { isUtf8 } from "node:buffer";
import type { RawCall } from "./call.ts";
import type { FinishReason } from "./model.ts";

/** One entry of a conversation, oldest first. Plain JSON. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Valid only as the first message. The run loop inserts the agent's instructions here. */
export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

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

/** A message of the user. */
export interface UserMessage {
  readonly role: "user";
  /** Text or ordered parts. `textOf` returns the text. */
  readonly content: string | readonly ContentPart[];
  /** Chat only: the page's id of the message. Messages with the same id are one message. */
  readonly id?: string;
}

/** A message of the model: text, calls and media. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  /** Media that the model generated. */
  readonly parts?: readonly ContentPart[];
  /** Reasoning text, as far as the provider reveals it. Data that the provider needs again is in `echo`. */
  readonly reasoning?: string;
  /** Each is answered by one tool message, in this order, before the next message. */
  readonly calls?: readonly RawCall[];
  /** The agent that produced the message. */
  readonly agent?: string;
  /** The provider paused the reply; the model's next message continues it. */
  readonly paused?: true;
  /** Chat only: tokens used by this message. */
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens?: number;
  };
  readonly echo?: ProviderEcho;
  /**
   * Sources of untrusted content that the provider brought in. Unless set: the calls that the provider
   * executed.
   */
  readonly taints?: readonly string[];
}

/** How the run's own request to correct an answer begins. It is a message of the run, not of the user. */
export const correctionStart = "Your answer cannot be used: ";

/** The reply to one call of the model. */
export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly tool: string;
  /** The result as JSON, or with `isText` the string that the tool returned; for a failure its message. */
  readonly content: string;
  readonly isText?: true;
  /** Media that the tool returned with the value, and text placeholders for omitted media. */
  readonly parts?: readonly ContentPart[];
  readonly ok: boolean;
  /** Id of the approval request that the call waits for. */
  readonly pending?: string;
  /** Tools whose untrusted content the message contains. */
  readonly taints?: readonly string[];
  /** The run ends, or the handoff takes effect, once the other calls of the turn are answered. */
  readonly flow?: { readonly kind: "final" } | { readonly kind: "handoff"; readonly agent: string };
}

/**
 * Data that a provider must receive again unchanged, such as signed reasoning. It is sent to no other
 * provider.
 */
export interface ProviderEcho {
  readonly wire: string;
  readonly data: unknown;
}

const incompleteFinishes: ReadonlySet<FinishReason> = new Set<FinishReason>(["length", "filter", "refusal"]);

export const isIncompleteFinish = (finish: FinishReason | undefined): boolean =>
  finish !== undefined && incompleteFinishes.has(finish);

/**
 * Marks the calls of a cut-off, filtered or refused reply as incomplete, so that they do not run: further
 * calls may have belonged to them.
 */
export const markIncompleteCalls = (
  calls: readonly RawCall[],
  finish: FinishReason | undefined,
): readonly RawCall[] =>
  isIncompleteFinish(finish)
    ? calls.map((call) => (call.providerExecuted === true ? call : { ...call, finish: "incomplete" }))
    : calls;
