import type { RawCall } from "./call.ts";
import type { ContentPart, MediaKind } from "./content.ts";
import type { Message, ProviderEcho } from "./message.ts";
import type { ToolSpec } from "./spec.ts";

/** How a model is to answer. Every provider gets what it knows of. */
export interface ModelSettings {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** `required` wants some call; a name wants that tool. Providers that cannot leave it out. */
  readonly toolChoice?: "auto" | "none" | "required" | { readonly tool: string };
}

/** A tool that a model is shown. */
export interface ModelTool {
  readonly wireName: string;
  readonly spec: ToolSpec;
  /** Only its provider's own search shows it to the model. Sent to none but models with `searchesTools`. */
  readonly deferred?: true;
}

/** One question to a model: the conversation, and the tools it is shown under their wire names. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  readonly settings?: ModelSettings;
  /** The text of the answer must be JSON that fits the input of this spec. Set only where `takesOutput` said so. */
  readonly output?: ModelTool;
}

/** Tokens that were used. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the input tokens that came from the provider's cache. */
  readonly cachedTokens?: number;
}

/**
 * Why a model stopped. `length`: it was cut off. `refusal`: it would not answer. `filter`: its provider stopped it.
 * `pause`: its provider wants to be asked again with the conversation as it is.
 */
export type FinishReason = "stop" | "calls" | "length" | "filter" | "refusal" | "pause" | "other";

/** What a model said. Plain JSON. */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly RawCall[];
  readonly usage: Usage;
  readonly finish: FinishReason;
  /** Media that the model made. */
  readonly parts?: readonly ContentPart[];
  /** Its thoughts, as far as its provider shows them. */
  readonly reasoning?: string;
  /** Parts of the request that the model was told of in words only. */
  readonly losses?: readonly OmittedPart[];
  readonly echo?: ProviderEcho;
  /**
   * Sources of untrusted content that the provider brought in itself: its own tools, citations, items of unknown kinds. Empty
   * if its own tools brought nothing in. Unless set: every call in `calls` that the provider ran is a source.
   */
  readonly taints?: readonly string[];
  /** Where an answer to `request.output` says null for what it leaves out: pointers, with `*` for every item. */
  readonly nulls?: readonly string[];
}

/** A part of a conversation that a model was told of in words only, because it does not take such parts. */
export interface OmittedPart {
  /** Which message it is in, and which of its parts it is. */
  readonly message: number;
  readonly part: number;
  readonly kind: MediaKind;
  readonly mediaType: string;
  /** Why, and what would help. */
  readonly reason: string;
}

/** Which media a model takes, by media type: `image/png`, `image/*`, or `*` for all. */
export interface AcceptedMedia {
  /** With their bytes. */
  readonly data: readonly string[];
  /** As addresses that its provider opens. Unless set: none. */
  readonly url?: readonly string[];
  /** The most characters of base64 in one request: more is refused before it is sent. Unless set: no such limit. */
  readonly maxLength?: number;
}

/** Deltas as they come; the last event is the whole reply, assembled from the same bytes. */
export type ModelEvent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly tool: string }
  | { readonly kind: "reply"; readonly reply: ModelReply };

/** How one question to a model can be cancelled. */
export interface ModelOptions {
  readonly signal?: AbortSignal;
}

/**
 * Anything that answers a conversation. It tries once and fails with a ModelError: trying again, time
 * limits and the like are layers around it.
 */
export interface Model {
  /** `provider/model-id`, for ledgers, traces and messages. */
  readonly id: string;
  /** Its provider lets it search tools that are `deferred`. Unless set: it does not. */
  readonly searchesTools?: boolean;
  /** Whether its provider holds it to such an output in a question that shows these tools. Unless set: never. */
  readonly takesOutput?: (output: ModelTool, tools: readonly ModelTool[]) => boolean;
  /** Which pictures, sounds and files it takes. Unless set: none, and it is told in words what there was. */
  readonly takes?: AcceptedMedia;
  readonly generate: (request: ModelRequest, options?: ModelOptions) => Promise<ModelReply>;
  readonly stream: (request: ModelRequest, options?: ModelOptions) => AsyncIterable<ModelEvent>;
  /** Rejects where it cannot be asked as it is configured, such as without a key. Sends nothing. */
  readonly prepare?: () => Promise<unknown>;
}
