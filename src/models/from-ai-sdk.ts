import { isObject, type JsonObject } from "../base/json/json-value.ts";
import { preserveLargeIntegers } from "../base/json/raw-slices.ts";
import type { RawCall } from "../types/call.ts";
import { ConfigurationError, ModelError } from "../types/errors.ts";
import type { JsonSchema } from "../types/json.ts";
import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  mediaOf,
  type ToolMessage,
} from "../types/message.ts";
import type {
  AcceptedMedia,
  FinishReason,
  Model,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ModelSettings,
  Usage,
} from "../types/model.ts";
import { streamCollector } from "./ai-sdk/collect-stream.ts";
import {
  type AiSdkMessage,
  type AiSdkModel,
  type AiSdkResult,
  echoedContent,
  readGeneratedFile,
  toAiSdkEcho,
  toFilePart,
  toResultFile,
} from "./ai-sdk/echo.ts";
import { metadataSources, partSources } from "./ai-sdk/part-sources.ts";
import { boundedEvents } from "./bounded-fetch.ts";
import { toMcp } from "./dialects/mcp/to-mcp.ts";
import { toCount, toModelReply } from "./dialects/model-reply.ts";
import { toObjectArguments } from "./dialects/to-object-arguments.ts";
import { toVendorMessages } from "./dialects/to-vendor-messages.ts";
import { chosenTool } from "./dialects/tool-choice.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { vendorModel } from "./vendor-model.ts";

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

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "filter",
  "tool-calls": "calls",
  other: "other",
  unknown: "other",
};

/** Provider values that the SDK does not map. */
const providerFinishReasons: Readonly<Record<string, FinishReason>> = {
  pause_turn: "pause",
  refusal: "refusal",
};

/** A string in v2, an object with the provider's own value since. */
const readFinish = (id: string, reason: unknown): FinishReason => {
  const own = isObject(reason) ? reason.raw : undefined;
  if (typeof own === "string" && Object.hasOwn(providerFinishReasons, own))
    return providerFinishReasons[own]!;
  const word = isObject(reason) ? reason.unified : reason;
  const finish =
    typeof word === "string" && Object.hasOwn(finishReasons, word) ? finishReasons[word]! : undefined;
  if (finish !== undefined) return finish;
  const problem = word === "error" ? "ended with an error" : "has no finish reason";
  throw new ModelError("model_unreadable", `${id}: the provider's answer ${problem}.`);
};

/** Numbers in v2, objects with a total since. */
const readUsage = (usage: unknown): Usage => {
  const { inputTokens, outputTokens, cachedInputTokens } = isObject(usage) ? usage : {};
  const input = isObject(inputTokens) ? inputTokens : { total: inputTokens, cacheRead: cachedInputTokens };
  const output = isObject(outputTokens) ? outputTokens.total : outputTokens;
  return {
    inputTokens: toCount(input.total),
    outputTokens: toCount(output),
    ...(input.cacheRead === undefined ? {} : { cachedTokens: toCount(input.cacheRead) }),
  };
};

const toCall = (part: JsonObject, place: number, index: number): RawCall => ({
  id: String(part.toolCallId ?? ""),
  tool: String(part.toolName ?? ""),
  input: preserveLargeIntegers(part.input),
  index,
  part: `/content/${place}`,
  ...(part.providerExecuted === true ? { providerExecuted: true } : {}),
  finish: part.incomplete === true ? "incomplete" : "complete",
});

const isResult = (value: unknown): value is AiSdkResult =>
  isObject(value) && Array.isArray(value.content) && value.content.every(isObject);

export const readResult = (id: string, wire: string, result: unknown): ModelReply => {
  if (!isResult(result)) {
    throw new ModelError("model_unreadable", `${id}: the provider's answer has no list of contents.`);
  }
  const { content, finishReason, usage } = result;
  const calls = [...content.entries()]
    .filter(([, { type }]) => type === "tool-call")
    .map(([place, part], index) => toCall(part, place, index));
  const text = content.flatMap((part) => (part.type === "text" ? [String(part.text ?? "")] : [])).join("");
  return toModelReply({
    text,
    calls,
    usage: readUsage(usage),
    finish: readFinish(id, finishReason),
    parts: content.flatMap((part) => readGeneratedFile(part) ?? []),
    reasoning: content
      .flatMap(({ type, text: thought }) => (type === "reasoning" && thought ? [String(thought)] : []))
      .join("\n\n"),
    echo: toAiSdkEcho(wire, content),
    taints: [...content.flatMap(partSources), ...metadataSources(result)],
  });
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

const toAssistantContent = (
  version: string,
  { calls = [], content, parts }: AssistantMessage,
): readonly JsonObject[] => [
  ...(content === "" ? [] : [{ type: "text", text: content }]),
  ...mediaOf(parts).map((part) => toFilePart(version, part)),
  ...calls.map(({ id, tool, input }) => ({
    type: "tool-call",
    toolCallId: id,
    toolName: tool,
    input: toObjectArguments(input),
  })),
];

const toOutput = (version: string, { content, ok, parts }: ToolMessage): JsonObject => {
  if (parts === undefined) return { type: ok ? "text" : "error-text", value: content };
  const files = parts.map((part) =>
    part.kind === "text" ? { type: "text", text: part.text } : toResultFile(version, part),
  );
  return { type: "content", value: [{ type: "text", text: content }, ...files] };
};

const toResult = (version: string, message: ToolMessage, name: string | undefined): JsonObject => ({
  type: "tool-result",
  toolCallId: message.callId,
  toolName: name ?? message.tool,
  output: toOutput(version, message),
});

const toUser = (version: string, content: string | readonly ContentPart[]): readonly JsonObject[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map((part) =>
        part.kind === "text" ? { type: "text", text: part.text } : toFilePart(version, part),
      );

export const toPrompt = (
  wire: string,
  messages: readonly Message[],
  version = "v3",
): readonly AiSdkMessage[] => {
  const prompt: AiSdkMessage[] = [];
  const names = new Map<string, string>();
  let results: JsonObject[] | undefined;
  for (const message of toVendorMessages(messages, /./)) {
    if (message.role === "tool") {
      if (results === undefined) {
        results = [];
        prompt.push({ role: "tool", content: results });
      }
      results.push(toResult(version, message, names.get(message.callId)));
      continue;
    }
    results = undefined;
    if (message.role === "system") prompt.push({ role: "system", content: message.content });
    else if (message.role === "user")
      prompt.push({ role: "user", content: toUser(version, message.content) });
    else {
      for (const { id, tool } of message.calls ?? []) names.set(id, tool);
      const content = echoedContent(wire, message, version) ?? toAssistantContent(version, message);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    }
  }
  return prompt;
};
