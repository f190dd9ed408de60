import type { ModelRequest, ModelSettings } from "../../types/model.ts";
import { type GeminiConversation, toContents } from "../dialects/gemini/to-contents.ts";
import { toGemini, toResponseSchema } from "../dialects/gemini/to-gemini.ts";
import { isVersionAtLeast } from "../dialects/provider-search.ts";
import { chosenTool } from "../dialects/tool-choice.ts";

export interface GeminiRequest {
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
export const canCombineToolsAndSchema = (modelId: string): boolean =>
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

export const toGeminiRequest = (model: string, request: ModelRequest, signal: AbortSignal): GeminiRequest => {
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
