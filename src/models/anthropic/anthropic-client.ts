import { openOnce } from "../../base/credentials/open-once.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { AcceptedMedia } from "../../types/model.ts";
import { argumentTextFetch } from "../argument-text-fetch.ts";
import { readApiKey } from "../read-api-key.ts";
import { readBaseUrl } from "../read-base-url.ts";

/** The part of the SDK's client that is used. */
export interface AnthropicClient {
  readonly messages: { create(body: never, options?: never): PromiseLike<unknown> };
}

/** How `anthropic` reaches the provider. */
export interface AnthropicOptions {
  /** Otherwise ANTHROPIC_API_KEY. */
  readonly apiKey?: string;
  /** Of another server that speaks the same, without `/v1`. */
  readonly baseUrl?: string;
  /** The same, as the SDK calls it. */
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the settings of a request name no limit: the provider wants one. 8,192 unless named. */
  readonly maxTokens?: number;
  /** Instead of the global one, such as one that goes through a proxy or waits longer. */
  readonly fetch?: typeof fetch;
  /** More fields of the request, such as `thinking`. They cannot replace those that are set here. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Whether the model searches tools itself, for an agent's `toolSearch: { by: "provider" }`. Unless set: by its name. */
  readonly toolSearch?: boolean;
  /** Whether the model can be held to a JSON Schema, for an agent's `output`. Unless set: by its name. Otherwise it must call its answer like a tool. */
  readonly structuredOutput?: boolean;
  /** Which pictures, sounds and files the model takes. Unless set: pictures and PDF. */
  readonly takes?: AcceptedMedia;
  /** A client of one's own, as for Bedrock or Vertex AI. */
  readonly client?: AnthropicClient;
}

/** Time limits are for layers, so the SDK's own must never be the first. It takes no more than this. */
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
    // It would write parts of replies to the console.
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
