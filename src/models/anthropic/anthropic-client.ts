import { openOnce } from "../../base/credentials/open-once.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { AcceptedMedia } from "../../types/model.ts";
import { argumentTextFetch } from "../argument-text-fetch.ts";
import { readApiKey, readBaseUrl } from "../check-client-options.ts";

/** The used part of the SDK's client. */
export interface AnthropicClient {
  readonly messages: { create(body: never, options?: never): PromiseLike<unknown> };
}

/** How `anthropic` reaches the provider. */
export interface AnthropicOptions {
  /** Default: ANTHROPIC_API_KEY. */
  readonly apiKey?: string;
  /** URL of a compatible server, without `/v1`. */
  readonly baseUrl?: string;
  /** Alias of `baseUrl`, as in the SDK. */
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit for requests without one, because the provider requires it. Default: 8,192. */
  readonly maxTokens?: number;
  /** Replaces the global fetch, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /** Additional request fields, such as `thinking`. They cannot replace fields that Haft sets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /**
   * Whether the provider searches tools, for an agent's `toolSearch: { by: "provider" }`. Default: by model
   * name.
   */
  readonly toolSearch?: boolean;
  /**
   * Whether the model supports JSON Schema output; otherwise an agent's `output` is requested as a tool call.
   * Default: by model name.
   */
  readonly structuredOutput?: boolean;
  /** Accepted media. Default: images and PDF. */
  readonly takes?: AcceptedMedia;
  /** A custom client, such as for Bedrock or Vertex AI. */
  readonly client?: AnthropicClient;
}

/** The SDK's maximum: timeouts are enforced by layers. */
const maxTimeoutMs = 2_147_483_647;

const packageNeed = "The Anthropic client needs";

const createClient = async (options: AnthropicOptions): Promise<AnthropicClient> => {
  if (options.client !== undefined) return options.client;
  const { fetch: given, headers } = options;
  const baseUrl = readBaseUrl("anthropic", options);
  const apiKey = readApiKey(options, "ANTHROPIC_API_KEY", "Anthropic");
  const { Anthropic } = await import("@anthropic-ai/sdk").catch(
    missingPackage("@anthropic-ai/sdk", packageNeed),
  );
  return new Anthropic({
    apiKey,
    timeout: maxTimeoutMs,
    // The SDK would log parts of replies.
    logLevel: "off",
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    fetch: argumentTextFetch("anthropic", given),
    ...(headers === undefined ? {} : { defaultHeaders: { ...headers } }),
  });
};

export const anthropicClient = (options: AnthropicOptions): (() => Promise<AnthropicClient>) => {
  if (options.client === undefined) checkPackage("@anthropic-ai/sdk", packageNeed);
  return openOnce(() => createClient(options));
};
