import type { OfferedTool } from "../models/dialects/exporter.ts";
import type { OutputFormat } from "../types/agent.ts";
import type { Model, ModelSettings, ModelTool } from "../types/model.ts";
import { answerToolName } from "./answer-format.ts";

export interface AnswerRequest {
  readonly listed: readonly OfferedTool[];
  readonly output?: ModelTool;
  readonly answerTool?: ModelTool;
  readonly toolChoice?: ModelSettings["toolChoice"];
  /** The previous answer was invalid, so the model must answer now. */
  readonly isLast: boolean;
}

/**
 * Prefers the provider's structured output to an answer tool. After an invalid answer no other tools may be
 * called; after the second, tools are omitted if only then the provider enforces the format.
 */
export const toAnswerRequest = (
  form: OutputFormat,
  model: Model,
  listed: readonly OfferedTool[],
  asksAgain: number,
): AnswerRequest => {
  const output: ModelTool = { wireName: freeName(listed), spec: form.spec };
  const isLast = asksAgain > 0;
  if (model.takesOutput?.(output, listed) === true) {
    return { listed, output, isLast, ...(isLast ? { toolChoice: "none" } : {}) };
  }
  if (asksAgain > 1 && model.takesOutput?.(output, []) === true) return { listed: [], output, isLast };
  return {
    listed: [...listed, output],
    answerTool: output,
    toolChoice: isLast ? { tool: output.wireName } : "required",
    isLast,
  };
};

const freeName = (listed: readonly OfferedTool[]): string => {
  let name = answerToolName;
  while (listed.some(({ wireName }) => wireName === name)) name += "_";
  return name;
};

export const withToolChoice = (
  settings: ModelSettings | undefined,
  question: AnswerRequest | undefined,
): ModelSettings | undefined => {
  if (question?.toolChoice === undefined) return settings;
  if (settings?.toolChoice !== undefined && !question.isLast) return settings;
  return { ...settings, toolChoice: question.toolChoice };
};
