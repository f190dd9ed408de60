import type { RawCall } from "./call.ts";
import type { ContentPart, MediaKind, Message, ProviderEcho } from "./message.ts";
import type { ToolSpec } from "./tool.ts";

/** Generation settings. Each provider receives those that it supports. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** `required` forces a call; a name forces that tool. Ignored for providers without support. */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
}

/** A tool in a model request. */
export interface ModelTool {
  readonly wireName: string;
  readonly spec: ToolSpec;
  /** Visible only through the provider's own search. Sent only to models with `searchesTools`. */
  readonly deferred?: true;
}

/** A model request: the conversation, and tools under their wire names. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  readonly settings?: ModelSettings;
  /**
   * The answer must be JSON that fits the input schema of this spec. Set only if `takesOutput` returned true.
   */
  readonly output?: ModelTool;
}

/** Token usage. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens read from the provider's cache. */
  readonly cachedTokens?: number;
}

/**
 * Why the model stopped. `length`: cut off at the token limit. `refusal`: refused by the model. `filter`:
 * stopped by the provider. `pause`: the provider expects to be called again with the same conversation.
 */
export type FinishReason = "stop" | "calls" | "length" | "filter" | "refusal" | "pause" | "other";

/** A model's reply. Plain JSON. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly usage: Usage;
  readonly finish: FinishReason;
  /** Media that the model generated. */
  readonly parts?: readonly ContentPart[];
  /** Reasoning text, as far as the provider reveals it. */
  readonly reasoning?: string;
  /** Parts of the request that the model received as text only. */
  readonly losses?: readonly OmittedPart[];
  readonly echo?: ProviderEcho;
  /**
   * Sources of untrusted content that the provider brought in. Unless set: every provider-executed call in
   * `calls`.
   */
  readonly taints?: readonly string[];
  /**
   * JSON pointers (`*` for every item) to fields of `request.output` whose null means that the field is
   * absent.
   */
  readonly nulls?: readonly string[];
}

/** A part that a model received as text only, because it does not accept its media type. */
export interface OmittedPart {
  /** Index of the message, and of the part in it. */
  readonly message: number;
  readonly part: number;
  readonly kind: MediaKind;
  readonly mediaType: string;
  /** The reason and a remedy. */
  readonly reason: string;
}

/** Media types that a model accepts: `image/png`, `image/*`, or `*` for all. */
export interface AcceptedMedia {
  /** Types accepted as bytes. */
  readonly data: readonly string[];
  /** Types accepted as URLs that the provider opens. Unless set: none. */
  readonly url?: readonly string[];
  /**
   * Maximum number of base64 characters per request; larger requests fail before they are sent. Unless set:
   * unlimited.
   */
  readonly maxLength?: number;
}

/** Deltas as they arrive; the last event is the whole reply. */
export type ModelEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly tool: string }
  | { readonly kind: "reply"; readonly reply: ModelReply };

/** Options of a model request. */
export interface ModelOptions {
  readonly signal?: AbortSignal;
}

/**
 * A language model. It tries once and fails with a ModelError; retries and time limits are layers around it.
 */
export interface Model {
  /** `provider/model-id`, for ledgers, traces and messages. */
  readonly id: string;
  /** The provider can search `deferred` tools. Unless set: false. */
  readonly searchesTools?: boolean;
  /** Whether the provider enforces this output format in a request with these tools. Unless set: never. */
  readonly takesOutput?: (output: ModelTool, tools: readonly ModelTool[]) => boolean;
  /** Accepted media. Unless set: none, and media are replaced by text descriptions. */
  readonly takes?: AcceptedMedia;
  readonly generate: (request: ModelRequest, options?: ModelOptions) => Promise<ModelReply>;
  readonly stream: (request: ModelRequest, options?: ModelOptions) => AsyncIterable<ModelEvent>;
  /** Rejects if the model is misconfigured, such as without a key. Sends no request. */
  readonly prepare?: () => Promise<unknown>;
}
