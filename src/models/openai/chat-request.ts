import { toOpenAIMessages } from "../../dialects/openai/to-messages.ts";
import { toOpenAI } from "../../dialects/openai/to-openai.ts";
import { chosenTool } from "../../dialects/tool-choice.ts";
import type { ModelRequest } from "../../words/model.ts";

type Body = Readonly<Record<string, unknown>>;

const toToolChoice = (request: ModelRequest): Body => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  const named = (name: string) => ({ type: "function", function: { name } });
  return { tool_choice: typeof choice === "string" ? choice : named(choice.tool) };
};

const toSettings = ({ settings = {} }: ModelRequest): Body => {
  const { maxTokens, seed, stop, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_completion_tokens: maxTokens }),
    ...(stop === undefined ? {} : { stop }),
    ...(seed === undefined ? {} : { seed }),
  };
};

export const toChatRequest = (model: string, request: ModelRequest, extra: Body): Body => {
  const { tools } = toOpenAI(request.tools);
  return {
    ...extra,
    model,
    messages: toOpenAIMessages(request.messages),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...toSettings(request),
  };
};
