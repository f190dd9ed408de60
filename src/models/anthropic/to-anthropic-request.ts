import type { JsonObject } from "../../base/json/is-object.ts";
import type { ModelRequest } from "../../types/model.ts";
import { toAnthropic } from "../dialects/anthropic/to-anthropic.ts";
import { toAnthropicMessages } from "../dialects/anthropic/to-anthropic-messages.ts";
import { toOutputSchema } from "../dialects/anthropic/to-output-schema.ts";
import { withAnthropicSearch } from "../dialects/anthropic/tool-search.ts";
import { chosenTool } from "../dialects/tool-choice.ts";

const toToolChoice = (request: ModelRequest): JsonObject => {
  const choice = chosenTool(request);
  if (choice === undefined) return {};
  if (typeof choice === "object") return { tool_choice: { type: "tool", name: choice.tool } };
  return { tool_choice: { type: choice === "required" ? "any" : choice } };
};

/** The provider has no seed. */
const toSettings = ({ settings = {} }: ModelRequest): JsonObject => {
  const { stop, temperature, topP } = settings;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
  };
};

const toOutputConfig = ({ output }: ModelRequest, extra: JsonObject | undefined): JsonObject => {
  if (output === undefined) return {};
  const format = { type: "json_schema", schema: toOutputSchema(output.spec) };
  return { output_config: { ...(extra?.output_config as object | undefined), format } };
};

/** The smallest reply limit of current models. */
const defaultMaxTokens = 8_192;

interface RequestDefaults {
  readonly maxTokens?: number;
  readonly extra?: JsonObject;
}

export const toAnthropicRequest = (
  model: string,
  request: ModelRequest,
  { extra, maxTokens = defaultMaxTokens }: RequestDefaults,
): JsonObject => {
  const tools = withAnthropicSearch(request.tools, toAnthropic(request.tools).tools);
  return {
    ...extra,
    model,
    max_tokens: request.settings?.maxTokens ?? maxTokens,
    ...toAnthropicMessages(request.messages, request.tools),
    ...(tools.length === 0 ? {} : { tools }),
    ...toToolChoice(request),
    ...toOutputConfig(request, extra),
    ...toSettings(request),
  };
};
