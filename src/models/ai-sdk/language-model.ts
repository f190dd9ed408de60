import type { JsonObject } from "../../base/json/is-object.ts";

/**
 * Any language model object of the AI SDK, from specification v2 on, known by its shape alone: nothing of that SDK
 * is imported. What goes in is spelled after the specification, and what comes out is read as foreign data.
 */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<{ readonly stream: unknown }>;
}

export interface AiSdkMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly JsonObject[];
}

/** What `doGenerate` gives, and what a stream adds up to. */
export interface AiSdkResult {
  readonly content: readonly JsonObject[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
}
