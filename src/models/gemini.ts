import { openOnce } from "../base/credentials/open-once.ts";
import { checkPackage, missingPackage } from "../base/platform/peer-packages.ts";
import { ConfigurationError, ModelError } from "../types/errors.ts";
import type {
  AcceptedMedia,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ModelSettings,
} from "../types/model.ts";
import { argumentTextFetch } from "./argument-text-fetch.ts";
import { assertOk } from "./bounded-fetch.ts";
import { checkClientOptions, readAcceptedMedia, readApiKey, readBaseUrl } from "./check-client-options.ts";
import { geminiReader } from "./dialects/gemini/read-reply.ts";
import { type GeminiConversation, geminiMedia, toContents } from "./dialects/gemini/to-contents.ts";
import { toGemini, toResponseSchema } from "./dialects/gemini/to-gemini.ts";
import { isVersionAtLeast } from "./dialects/model-reply.ts";
import { chosenTool } from "./dialects/tool-choice.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { collectReply, vendorModel } from "./vendor-model.ts";

/** A model of the Gemini API, over the package `@google/genai`, which is loaded on first use. */
export const gemini = (modelId: string, options: GeminiOptions = {}): Model & ToolCaller => {
  checkClientOptions("gemini", modelId, options, [
    "apiKey",
    "baseUrl",
    "baseURL",
    "fetch",
    "takes",
    "client",
  ]);
  const id = `gemini/${modelId}`;
  const client = geminiClient(options);

  const spelled = (request: ModelRequest, signal: AbortSignal): never => {
    const { config, contents, model } = toGeminiRequest(modelId, request, signal);
    if (contents.length === 0) {
      throw new ModelError(
        "model_bad_request",
        `${id}: the conversation has only instructions. Add a user message.`,
      );
    }
    return { model, contents, config } as never;
  };

  const generate = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const reader = geminiReader(id, request.messages);
    const { models } = await client();
    reader.push(await models.generateContent(spelled(request, signal)));
    return reader.reply();
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const reader = geminiReader(id, request.messages);
    const { models } = await client();
    yield* collectReply(id, await models.generateContentStream(spelled(request, signal)), reader);
  }

  const takesOutput = (_: unknown, tools: readonly unknown[]): boolean =>
    tools.length === 0 || canCombineToolsAndSchema(modelId);
  const takes = readAcceptedMedia("gemini", options.takes, geminiMedia);
  return vendorModel(id, { generate, stream, takesOutput, takes, prepare: client });
};

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

const geminiClient = (options: GeminiOptions): (() => Promise<GeminiClient>) => {
  if (options.client === undefined) checkPackage("@google/genai", packageNeed);
  return openOnce(() => createClient(options));
};

interface GeminiRequest {
  readonly model: string;
  readonly contents: GeminiConversation["contents"];
  readonly config: Readonly<Record<string, unknown>>;
}

/** Google's placeholder for calls without a signature. */
const skipSignature = "skip_thought_signature_validator";
const withoutSignatures = /gemini-[12]\b|gemma/;
/** Gemini 3 and later. */
const canReadMediaInReplies = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

/** Earlier models refuse tools together with an output schema. */
const canCombineToolsAndSchema = (modelId: string): boolean =>
  isVersionAtLeast(modelId, /gemini-(\d+)(?:\.(\d+))?/, [3, 0]);

const toToolConfig = (choice: NonNullable<ModelSettings["toolChoice"]>) => {
  if (typeof choice === "object") return { mode: "ANY", allowedFunctionNames: [choice.tool] };
  return { mode: choice === "required" ? "ANY" : choice.toUpperCase() };
};

const toSettings = ({ maxTokens, seed, stop, temperature, topP }: ModelSettings) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { topP }),
  ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
  ...(stop === undefined ? {} : { stopSequences: stop }),
  ...(seed === undefined ? {} : { seed }),
});

const toGeminiRequest = (model: string, request: ModelRequest, signal: AbortSignal): GeminiRequest => {
  const { messages, settings = {}, tools, output } = request;
  const spelling = {
    ...(withoutSignatures.test(model) ? {} : { unsigned: skipSignature }),
    mediaInReplies: canReadMediaInReplies(model),
  };
  const { contents, systemInstruction } = toContents(messages, spelling);
  const shown = toGemini(tools).tools;
  const choice = chosenTool(request);
  return {
    model,
    contents,
    config: {
      abortSignal: signal,
      // Both would send requests that are not counted, limited or recorded.
      automaticContinuation: false,
      automaticFunctionCalling: { disable: true },
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(shown.length === 0 ? {} : { tools: shown }),
      ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: toToolConfig(choice) } }),
      ...(output === undefined
        ? {}
        : { responseMimeType: "application/json", responseJsonSchema: toResponseSchema(output.spec) }),
      ...toSettings(settings),
    },
  };
};
