import { toAnthropic } from "./anthropic/to-anthropic.ts";
import { toGemini } from "./gemini/to-gemini.ts";
import { toMcp } from "./mcp/to-mcp.ts";
import { toOllama } from "./ollama/to-ollama.ts";
import { toOpenAI } from "./openai/to-openai.ts";
import { toOpenAIResponses } from "./openai/to-openai-responses.ts";

/** Every way a list of tools is spelled. */
export const formats = {
  openai: toOpenAI,
  "openai-responses": toOpenAIResponses,
  anthropic: toAnthropic,
  ollama: toOllama,
  gemini: toGemini,
  mcp: toMcp,
} as const;

/** A way in which `haft.offer` can write the tools for a provider. */
export type Format = keyof typeof formats;
