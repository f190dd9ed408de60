import { toAnthropic } from "./anthropic/to-anthropic.ts";
import { toGemini } from "./gemini/to-gemini.ts";
import { toMcp } from "./mcp/to-mcp.ts";
import { toOllama } from "./ollama/to-ollama.ts";
import { toOpenAI } from "./openai/to-openai.ts";
import { toOpenAIResponses } from "./openai/to-openai-responses.ts";

export const formats = {
  openai: toOpenAI,
  "openai-responses": toOpenAIResponses,
  anthropic: toAnthropic,
  ollama: toOllama,
  gemini: toGemini,
  mcp: toMcp,
} as const;

/** Provider format in which `haft.offer` writes tools. */
export type Format = keyof typeof formats;
