import type { OfferedTool } from "../../models/dialects/offered-tool.ts";
import type { OutputFormat } from "../../types/agent.ts";
import type { Model, ModelSettings, ModelTool } from "../../types/model.ts";
import { answerToolName } from "./read-output-format.ts";

/** How a model is asked when its answer must have a form. */
export interface AnswerRequest {
  readonly listed: readonly OfferedTool[];
  /** The provider itself holds the answer to it. */
  readonly output?: ModelTool;
  /** The model must call this tool to answer, beside the agent's own. */
  readonly answerTool?: ModelTool;
  /** What the model may choose, unless the settings say so themselves. */
  readonly toolChoice?: ModelSettings["toolChoice"];
  /** Its last answer did not fit: whatever the settings say, it is to answer now. */
  readonly isLast: boolean;
}

/**
 * By the provider's own means where it has them for these tools; else by a call that the model must make. A model
 * whose answer did not fit is no longer to call anything else, and the second time is asked without any tools if
 * only then its provider can hold it to the form.
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

/** The settings of a question, with the choice that the form of its answer asks for. */
export const withToolChoice = (
  settings: ModelSettings | undefined,
  question: AnswerRequest | undefined,
): ModelSettings | undefined => {
  if (question?.toolChoice === undefined) return settings;
  if (settings?.toolChoice !== undefined && !question.isLast) return settings;
  return { ...settings, toolChoice: question.toolChoice };
};
