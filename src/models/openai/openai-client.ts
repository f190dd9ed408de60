import { openOnce } from "../../base/credentials/open-once.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import type { AcceptedMedia } from "../../types/model.ts";
import { boundedFetch } from "../bounded-fetch.ts";
import { readApiKey } from "../read-api-key.ts";
import { readBaseUrl } from "../read-base-url.ts";

interface Endpoint {
  create(body: never, options?: never): PromiseLike<unknown>;
}

/** The part of the SDK's client that is used. */
export interface OpenAIClient {
  readonly chat: { readonly completions: Endpoint };
  readonly responses: Endpoint;
}

/** How `openai` reaches the provider, or another server that speaks the same. */
export interface OpenAIOptions {
  /** Otherwise OPENAI_API_KEY. */
  readonly apiKey?: string;
  /** Of another server that speaks the same, with its version: `http://127.0.0.1:8000/v1`. */
  readonly baseUrl?: string;
  /** The same, as the SDK calls it. */
  readonly baseURL?: string;
  /** `responses` unless named. Most other servers speak only `chat`. */
  readonly api?: "chat" | "responses";
  readonly organization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the global one, such as one that goes through a proxy or waits longer. */
  readonly fetch?: typeof fetch;
  /** More fields of the request, such as `reasoning`. They cannot replace those that are set here. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Whether the model searches tools itself, for an agent's `toolSearch: { by: "provider" }`. Unless set: by its name; over `chat` no model does. */
  readonly toolSearch?: boolean;
  /** Whether the model can be held to a JSON Schema, for an agent's `output`. Unless set: it can. Otherwise it must call its answer like a tool. */
  readonly structuredOutput?: boolean;
  /** Which pictures, sounds and files the model takes. Unless set: what the interface does. */
  readonly takes?: AcceptedMedia;
  /** A client of one's own, as for Azure. */
  readonly client?: OpenAIClient;
}

/** Time limits are for layers, so the SDK's own must never be the first. It takes no more than this. */
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
    // It would write parts of replies to the console.
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
