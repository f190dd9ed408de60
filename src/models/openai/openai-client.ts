import { openOnce } from "../../base/credentials/open-once.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { AcceptedMedia } from "../../types/model.ts";
import { boundedFetch } from "../bounded-fetch.ts";
import { readApiKey, readBaseUrl } from "../check-client-options.ts";

interface Endpoint {
  create(body: never, options?: never): PromiseLike<unknown>;
}

/** The used part of the SDK's client. */
export interface OpenAIClient {
  readonly chat: { readonly completions: Endpoint };
  readonly responses: Endpoint;
}

/** How `openai` reaches the provider or a compatible server. */
export interface OpenAIOptions {
  /** Default: OPENAI_API_KEY. */
  readonly apiKey?: string;
  /** URL of a compatible server, with its version: `http://127.0.0.1:8000/v1`. */
  readonly baseUrl?: string;
  /** Alias of `baseUrl`, as in the SDK. */
  readonly baseURL?: string;
  /** Default: `responses`. Most compatible servers support only `chat`. */
  readonly api?: "chat" | "responses";
  readonly organization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the global fetch, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /** Additional request fields, such as `reasoning`. They cannot replace fields that Haft sets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /**
   * Whether the provider searches tools, for an agent's `toolSearch: { by: "provider" }`. Default: by model
   * name; never with `chat`.
   */
  readonly toolSearch?: boolean;
  /**
   * Whether the model supports JSON Schema output; otherwise an agent's `output` is requested as a tool call.
   * Default: true.
   */
  readonly structuredOutput?: boolean;
  /** Accepted media. Default: everything the API accepts. */
  readonly takes?: AcceptedMedia;
  /** A custom client, such as for Azure. */
  readonly client?: OpenAIClient;
}

/** The SDK's maximum: timeouts are enforced by layers. */
const maxTimeoutMs = 2_147_483_647;

const packageNeed = "The OpenAI client needs";

const createClient = async (options: OpenAIOptions): Promise<OpenAIClient> => {
  if (options.client !== undefined) return options.client;
  const { fetch: given, headers, organization } = options;
  const baseUrl = readBaseUrl("openai", options);
  const apiKey = readApiKey(options, "OPENAI_API_KEY", "OpenAI");
  const { OpenAI } = await import("openai").catch(missingPackage("openai", packageNeed));
  return new OpenAI({
    apiKey,
    timeout: maxTimeoutMs,
    // The SDK would log parts of replies.
    logLevel: "off",
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    fetch: boundedFetch(given),
    ...(organization === undefined ? {} : { organization }),
    ...(headers === undefined ? {} : { defaultHeaders: { ...headers } }),
  });
};

export const openAIClient = (options: OpenAIOptions): (() => Promise<OpenAIClient>) => {
  if (options.client === undefined) checkPackage("openai", packageNeed);
  return openOnce(() => createClient(options));
};
