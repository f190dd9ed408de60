import { slicePaths } from "../../base/json/raw-slices.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { anthropicEvents, readAnthropicMessage } from "./anthropic/read-calls.ts";
import { bedrockEvents, readBedrockReply } from "./bedrock/read-calls.ts";
import type { WireReader } from "./calls/wire-reader.ts";
import { cohereEvents, readCohereReply } from "./cohere/read-calls.ts";
import { geminiEvents, readGeminiReply } from "./gemini/read-calls.ts";
import { geminiInteractionEvents, readGeminiInteraction } from "./gemini/read-interaction-calls.ts";
import { ollamaEvents, readOllamaReply } from "./ollama/read-calls.ts";
import { openAIChatEvents, readOpenAIChat } from "./openai/read-calls.ts";
import { openAIResponseEvents, readOpenAIResponse } from "./openai/read-response-calls.ts";

const geminiCall = "candidates.*.content.parts.*.functionCall";

const wireReaders = {
  "openai-chat": { body: readOpenAIChat, events: openAIChatEvents },
  "openai-responses": { body: readOpenAIResponse, events: openAIResponseEvents },
  anthropic: {
    body: readAnthropicMessage,
    events: anthropicEvents,
    argumentPaths: slicePaths("content.*.input", "content_block.input"),
  },
  gemini: {
    body: readGeminiReply,
    events: geminiEvents,
    argumentPaths: slicePaths(
      ...[geminiCall, `*.${geminiCall}`].flatMap((call) => [
        `${call}.args`,
        `${call}.partialArgs.*.numberValue`,
      ]),
    ),
  },
  "gemini-interactions": {
    body: readGeminiInteraction,
    events: geminiInteractionEvents,
    argumentPaths: slicePaths("steps.*.arguments", "outputs.*.arguments"),
  },
  ollama: {
    body: (drafts, body) => void readOllamaReply(drafts, body),
    events: ollamaEvents,
    argumentPaths: slicePaths("message.tool_calls.*.function.arguments"),
  },
  bedrock: {
    body: readBedrockReply,
    events: bedrockEvents,
    argumentPaths: slicePaths("output.message.content.*.toolUse.input"),
  },
  cohere: { body: readCohereReply, events: cohereEvents },
} as const satisfies Record<string, WireReader>;

/** Reply format of a provider. Mistral, xAI, Groq, DeepSeek, Azure and many others use `openai-chat`. */
export type Wire = keyof typeof wireReaders;

/** Wire names and their aliases. */
export const wires = Object.freeze({
  "openai-chat": "openai-chat",
  openai: "openai-chat",
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  gemini: "gemini",
  google: "gemini",
  "google-partial-args": "gemini",
  "gemini-interactions": "gemini-interactions",
  "google-interactions": "gemini-interactions",
  ollama: "ollama",
  bedrock: "bedrock",
  cohere: "cohere",
} as const satisfies Record<string, Wire>);

/** Name of a reply format, as `readCalls` and `collectCalls` accept it. */
export type WireName = keyof typeof wires;

export const wireReader = (name: WireName): WireReader => {
  const given: unknown = name;
  if (typeof given === "string" && Object.hasOwn(wires, given)) return wireReaders[wires[name]];
  const known = Object.keys(wireReaders).join(", ");
  throw new ConfigurationError(
    "invalid_config",
    `Unknown wire ${JSON.stringify(given) ?? String(given)}. Use one of: ${known}.`,
  );
};
