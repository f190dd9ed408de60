import type { JsonSchema } from "../../types/json.ts";
import type { ModelRequest, ModelSettings } from "../../types/model.ts";
import { type OllamaMessage, toOllamaMessages } from "../dialects/ollama/to-messages.ts";
import { type OllamaTool, toOllama, toOllamaFormat } from "../dialects/ollama/to-ollama.ts";

export interface OllamaRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly OllamaMessage[];
  readonly tools?: readonly OllamaTool[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly format?: JsonSchema;
}

const toOptions = ({ maxTokens, seed, stop, temperature, topP }: ModelSettings) => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { top_p: topP }),
  ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
  ...(stop === undefined ? {} : { stop }),
  ...(seed === undefined ? {} : { seed }),
});

/** The server has no tool choice. */
export const toOllamaRequest = (model: string, request: ModelRequest, stream: boolean): OllamaRequest => {
  const { messages, settings = {}, tools, output } = request;
  const shown = settings.toolChoice === "none" ? [] : toOllama(tools).tools;
  const options = toOptions(settings);
  return {
    model,
    stream,
    messages: toOllamaMessages(messages),
    ...(shown.length === 0 ? {} : { tools: shown }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(output === undefined ? {} : { format: toOllamaFormat(output.spec) }),
  };
};
