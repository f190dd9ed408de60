import { openOnce } from "../../base/credentials/open-once.ts";
import { checkPackage, missingPackage } from "../../base/platform/peer-packages.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { AcceptedMedia } from "../../types/model.ts";
import { argumentTextFetch } from "../argument-text-fetch.ts";
import { assertOk } from "../bounded-fetch.ts";
import { readApiKey, readBaseUrl } from "../check-client-options.ts";

/** The used part of the SDK's client. */
export interface GeminiClient {
  readonly models: {
    generateContent(parameters: never): PromiseLike<unknown>;
    generateContentStream(parameters: never): PromiseLike<AsyncIterable<unknown>>;
  };
}

/** How `gemini` reaches the provider. */
export interface GeminiOptions {
  /** Default: GEMINI_API_KEY or GOOGLE_API_KEY. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Alias of `baseUrl`, as in other SDKs. */
  readonly baseURL?: string;
  /** Replaces the global fetch, for example to use a proxy. */
  readonly fetch?: typeof fetch;
  /** Accepted media. Default: images, audio, video, PDF and text. */
  readonly takes?: AcceptedMedia;
  /** A custom client, such as for Vertex AI. */
  readonly client?: GeminiClient;
}

const apiKeyOf = ({ apiKey }: GeminiOptions): string => {
  const { GEMINI_API_KEY, GOOGLE_API_KEY } = process.env;
  const key = apiKey ?? GEMINI_API_KEY ?? GOOGLE_API_KEY;
  return readApiKey(key === undefined ? {} : { apiKey: key }, "GEMINI_API_KEY", "Gemini");
};

const packageNeed = "The Gemini client needs";

const createClient = async (options: GeminiOptions): Promise<GeminiClient> => {
  if (options.client !== undefined) return options.client;
  const baseUrl = readBaseUrl("gemini", options);
  if (baseUrl !== undefined && !URL.canParse(baseUrl)) {
    throw new ConfigurationError(
      "invalid_config",
      "The baseUrl of the Gemini client is not a URL. Write it like https://generativelanguage.googleapis.com.",
    );
  }
  const apiKey = apiKeyOf(options);
  const { GoogleGenAI } = await import("@google/genai").catch(missingPackage("@google/genai", packageNeed));
  const exact = argumentTextFetch("gemini", options.fetch);
  const checked: typeof fetch = async (url, init) => assertOk(await exact(url, init));
  const httpOptions = { fetch: checked, ...(baseUrl === undefined ? {} : { baseUrl }) };
  // An environment variable must not switch to Vertex AI. Version 3 of the SDK defaults to v1, but requests
  // are written for v1beta.
  return new GoogleGenAI({ apiKey, vertexai: false, apiVersion: "v1beta", httpOptions }) as GeminiClient;
};

export const geminiClient = (options: GeminiOptions): (() => Promise<GeminiClient>) => {
  if (options.client === undefined) checkPackage("@google/genai", packageNeed);
  return openOnce(() => createClient(options));
};
