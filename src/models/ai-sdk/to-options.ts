import { toMcp } from "../../dialects/mcp/to-mcp.ts";
import { chosenTool } from "../../dialects/tool-choice.ts";
import type { ModelRequest, ModelSettings } from "../../words/model.ts";
import type { AiSdkMessage } from "./language-model.ts";
import { toPrompt } from "./to-prompt.ts";

export interface AiSdkOptions {
  readonly prompt: readonly AiSdkMessage[];
  readonly tools?: readonly unknown[];
  readonly toolChoice?: { readonly type: string; readonly toolName?: string };
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
}

const toChoice = (choice: NonNullable<ModelSettings["toolChoice"]>): AiSdkOptions["toolChoice"] =>
  typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.tool };

export const toOptions = (wire: string, request: ModelRequest): AiSdkOptions => {
  const { messages, settings = {}, tools } = request;
  const { maxTokens, seed, stop, temperature, topP } = settings;
  const spelled = toMcp(tools).tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
  return {
    prompt: toPrompt(wire, messages),
    ...(spelled.length === 0 ? {} : { tools: spelled, toolChoice: toChoice(chosenTool(request) ?? "auto") }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
  };
};
