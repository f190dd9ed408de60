import { toAnthropic } from "../../dialects/anthropic/to-anthropic.ts";
import { toAnthropicMessages } from "../../dialects/anthropic/to-messages.ts";
import { withAnthropicSearch } from "../../dialects/anthropic/tool-search.ts";
import { chosenTool } from "../../dialects/tool-choice.ts";
import type { JsonObject } from "../../json/is-object.ts";
import type { ModelRequest } from "../../words/model.ts";

const toToolChoice = (request: ModelRequest): JsonObject => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  if (typeof choice === "object") return { tool_choice: { type: "tool", name: choice.tool } };
  return { tool_choice: { type: choice === "required" ? "any" : choice } };
};

/** The provider knows no seed. */
const toSettings = ({ settings = {} }: ModelRequest): JsonObject => {
  const { stop, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
  };
};

/** As much as the smallest of today's models say in one reply. */
const usual = 8_192;

interface Defaults {
  readonly maxTokens?: number;
  readonly extra?: JsonObject;
}

export const toAnthropicRequest = (
  model: string,
  request: ModelRequest,
  { extra, maxTokens = usual }: Defaults,
): JsonObject => {
  const tools = withAnthropicSearch(request.tools, toAnthropic(request.tools).tools);
  return {
    ...extra,
    model,
    max_tokens: request.settings?.maxTokens ?? maxTokens,
    ...toAnthropicMessages(request.messages, request.tools),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...toSettings(request),
  };
};
