import type { OutputFormat } from "../types/agent.ts";
import type { RepairMode } from "../types/hydration.ts";
import type { FinishReason, ModelReply } from "../types/model.ts";
import {
  type AnswerReading,
  parseModelAnswer,
  readFinalValue,
  toCorrection,
} from "./answer/parse-model-answer.ts";
import type { FinalAnswer } from "./next-step.ts";
import type { RunEnding, RunProgress } from "./run-progress.ts";

export interface ExpectedAnswer {
  readonly form: OutputFormat;
  readonly repair: RepairMode | undefined;
}

export type ModelStop = Pick<ModelReply, "finish" | "nulls" | "parts">;

const maxCorrections = 2;

export const endWithReply = (
  expectedAnswer: ExpectedAnswer | undefined,
  progress: RunProgress,
  { finish, nulls, parts }: ModelStop,
): RunEnding | undefined => {
  const { text: content } = progress;
  const isSilent = isBlankText(content) && parts === undefined;
  const reason =
    cutOffReason(finish) ?? (expectedAnswer === undefined && isSilent ? emptyReplyReason : undefined);
  if (reason !== undefined) return { status: "stopped", content, parts, reason };
  if (expectedAnswer === undefined) return { status: "done", content, parts };
  const read = parseModelAnswer(
    expectedAnswer.form,
    { text: content, ...(nulls && { nulls }) },
    expectedAnswer.repair,
  );
  if (read.ok) return { ...answeredEnding(content, read), parts };
  if (progress.corrections >= maxCorrections) {
    const tries = `After ${maxCorrections + 1} requests the model's answer does not match`;
    return { status: "stopped", content, reason: `${tries}: ${read.problem}` };
  }
  progress.corrections += 1;
  progress.messages.push({ role: "user", content: toCorrection(expectedAnswer.form, read.problem) });
  return undefined;
};

export const endWithValue = (
  expectedAnswer: ExpectedAnswer | undefined,
  { text: content, json, parts }: FinalAnswer,
): RunEnding => {
  if (expectedAnswer === undefined) return { status: "done", content, parts };
  const read = readFinalValue(expectedAnswer.form, json);
  if (read.ok) return { ...answeredEnding(content, read), parts };
  const reason = `A tool ended the run with a value that does not fit the agent's \`output\`: ${read.problem}`;
  return { status: "stopped", content, parts, reason };
};

const answeredEnding = (
  content: string,
  { value, changes }: Extract<AnswerReading, { ok: true }>,
): RunEnding => ({
  status: "done",
  content,
  answer: { value, changes },
});

const cutOffReason = (finish: FinishReason): string | undefined => {
  if (finish === "length") return "The model's reply was cut off at the length limit.";
  if (finish === "filter") return "The provider's filter stopped the model.";
  if (finish === "refusal") return "The model refused to answer.";
  return undefined;
};

const emptyReplyReason = "The model returned an empty reply.";

/** Providers reject messages that contain only whitespace. */
export const isBlankText = (text: string): boolean => !/\S/.test(text);
