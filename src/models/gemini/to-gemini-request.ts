import { isSince } from "../../dialects/deferred.ts";
import { type GeminiConversation, toContents } from "../../dialects/gemini/to-contents.ts";
import { toGemini, toResponseSchema } from "../../dialects/gemini/to-gemini.ts";
import { chosenTool } from "../../dialects/tool-choice.ts";
import type { ModelRequest, ModelSettings } from "../../words/model.ts";

export interface GeminiRequest {
  readonly model: string;
  readonly contents: GeminiConversation["contents"];
  readonly config: Readonly<Record<string, unknown>>;
}

/** Google's own word for calls that another model made, which no signature of this one can cover. */
const unsigned = "skip_thought_signature_validator";
const beforeSignatures = /gemini-[12]\b|gemma/;
/** From the third generation on, models read media inside of a reply to a call. */
const mediaInReplies = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

/** Earlier models refuse a request that has both tools and a schema for the answer. */
export const takesBoth = (modelId: string): boolean => isSince(modelId, /gemini-(\d+)(?:\.(\d+))?/, [3, 0]);

const toCalling = (choice: NonNullable<ModelSettings["toolChoice"]>) => {
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

export const toRequest = (model: string, request: ModelRequest, signal: AbortSignal): GeminiRequest => {
  const { messages, settings = {}, tools, output } = request;
  const spelling = {
    ...(beforeSignatures.test(model) ? {} : { unsigned }),
    mediaInReplies: mediaInReplies(model),
  };
  const { contents, systemInstruction } = toContents(messages, spelling);
  const shown = toGemini(tools).tools;
  const choice = chosenTool(request);
  return {
    model,
    contents,
    config: {
      abortSignal: signal,
      // Both would ask again behind the back of whoever counts, limits and records the requests.
      automaticContinuation: false,
      automaticFunctionCalling: { disable: true },
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(shown.length === 0 ? {} : { tools: shown }),
      ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: toCalling(choice) } }),
      ...(output === undefined
        ? {}
        : { responseMimeType: "application/json", responseJsonSchema: toResponseSchema(output.spec) }),
      ...toSettings(settings),
    },
  };
};
