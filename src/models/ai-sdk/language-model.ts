import type { JsonObject } from "../../base/json/is-object.ts";

/**
 * A language model of the AI SDK, from specification v2 on, recognized by its shape, so that the SDK is not
 * imported.
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

export interface AiSdkResult {
  readonly content: readonly JsonObject[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly providerMetadata?: unknown;
}
