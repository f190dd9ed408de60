import { isObject } from "../base/json/is-object.ts";
import { ConfigurationError, ModelError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import type {
  AcceptedMedia,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ModelSettings,
} from "../types/model.ts";
import { streamCollector } from "./ai-sdk/collect-stream.ts";
import type { AiSdkMessage, AiSdkModel } from "./ai-sdk/language-model.ts";
import { readResult } from "./ai-sdk/read-result.ts";
import { toPrompt } from "./ai-sdk/to-prompt.ts";
import { boundedEvents } from "./bounded-fetch.ts";
import { toMcp } from "./dialects/mcp/to-mcp.ts";
import { chosenTool } from "./dialects/tool-choice.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { vendorModel } from "./vendor-model.ts";

export type { AiSdkModel } from "./ai-sdk/language-model.ts";

const checkLanguageModel = (model: unknown): void => {
  const { specificationVersion, doGenerate, doStream } = (
    isObject(model) ? model : {}
  ) as Partial<AiSdkModel>;
  const isAsked = typeof doGenerate === "function" && typeof doStream === "function";
  if (isAsked && /^v([2-9]|\d\d)$/.test(String(specificationVersion))) return;
  throw new ConfigurationError(
    "invalid_config",
    `fromAiSdk requires a language model object of the AI SDK with specification v2 or later, such as openai("gpt-…") returns; ${
      isAsked ? `this one has ${String(specificationVersion)}` : `it received ${typeof model}`
    }.`,
  );
};

/** Only the provider knows which media its model accepts. */
const acceptsAnyBytes: AcceptedMedia = Object.freeze({ data: ["*"] });

/** Wraps a language model of the AI SDK as a Haft model. */
export const fromAiSdk = (languageModel: AiSdkModel): Model & ToolCaller => {
  checkLanguageModel(languageModel);
  const id = `${languageModel.provider}/${languageModel.modelId}`;
  const wire = `ai-sdk:${languageModel.provider}`;

  const options = (request: ModelRequest, abortSignal: AbortSignal): never =>
    ({ ...toOptions(wire, request, languageModel.specificationVersion), abortSignal }) as never;

  const generate = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> =>
    readResult(id, wire, await languageModel.doGenerate(options(request, signal)));

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const collector = streamCollector();
    const { stream: parts } = await languageModel.doStream(options(request, signal));
    for await (const part of boundedEvents(readStream(parts, signal))) {
      if (isObject(part) && part.type === "error") throw part.error;
      yield* collector.push(part);
    }
    const result = collector.result();
    if (result === undefined) {
      throw new ModelError("model_unreadable", `${id}: the provider's answer ended too early.`);
    }
    yield { kind: "reply", reply: readResult(id, wire, result) };
  }

  // Some providers refuse tools together with an output schema.
  const takesOutput = (_: unknown, tools: readonly unknown[]): boolean => tools.length === 0;
  return vendorModel(id, { generate, stream, takesOutput, takes: acceptsAnyBytes });
};

async function* readStream(stream: unknown, signal: AbortSignal): AsyncGenerator<unknown, void> {
  const reader = (stream as ReadableStream<unknown>).getReader();
  const cancel = (): void => {
    // Fails if the stream has already ended.
    reader.cancel(signal.reason).catch(() => {});
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

interface AiSdkOptions {
  readonly prompt: readonly AiSdkMessage[];
  readonly tools?: readonly unknown[];
  readonly toolChoice?: { readonly type: string; readonly toolName?: string };
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  readonly responseFormat?: { readonly type: "json"; readonly schema: JsonSchema; readonly name: string };
}

const toChoice = (choice: NonNullable<ModelSettings["toolChoice"]>): AiSdkOptions["toolChoice"] =>
  typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool };

const toOptions = (wire: string, request: ModelRequest, version: string): AiSdkOptions => {
  const { messages, settings = {}, tools, output } = request;
  const { maxTokens, seed, stop, temperature, topP } = settings;
  const options = toMcp(tools).tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
  return {
    prompt: toPrompt(wire, messages, version),
    ...(options.length === 0 ? {} : { tools: options, toolChoice: toChoice(chosenTool(request) ?? "auto") }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
    ...(output === undefined
      ? {}
      : { responseFormat: { type: "json", schema: output.spec.input, name: output.wireName } }),
  };
};
