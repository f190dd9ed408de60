import { toOpenAIResponses } from "../../dialects/openai/to-openai-responses.ts";
import { toResponsesInput } from "../../dialects/openai/to-responses-input.ts";
import { chosenTool } from "../../dialects/tool-choice.ts";
import type { ModelRequest } from "../../words/model.ts";

type Body = Readonly<Record<string, unknown>>;

const toToolChoice = (request: ModelRequest): Body => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  return { tool_choice: typeof choice === "string" ? choice : { type: "function", name: choice.tool } };
};

/** This interface knows neither stop sequences nor a seed. */
const toSettings = ({ settings = {} }: ModelRequest): Body => {
  const { maxTokens, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
  };
};

/** Nothing is stored at the provider unless `extra` asks for it: the conversation is told anew each time. */
export const toResponsesRequest = (model: string, request: ModelRequest, extra: Body): Body => {
  const { tools } = toOpenAIResponses(request.tools);
  return {
    store: false,
    ...extra,
    model,
    input: toResponsesInput(request.messages),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...toSettings(request),
  };
};
