import type { AnswerForm } from "../words/agent.ts";
import type { RepairMode } from "../words/hydration.ts";
import type { Finish, ModelReply } from "../words/model.ts";
import { type ReadAnswer, readAnswer, readFinal, toCorrection } from "./answer/read-answer.ts";
import type { FinalAnswer } from "./next-step.ts";
import type { RunEnding, RunProgress } from "./progress.ts";

/** What a run must answer with. */
export interface WantedAnswer {
  readonly form: AnswerForm;
  readonly repair: RepairMode | undefined;
}

/** How a model stopped, what it made, and where its answer says null for what it leaves out. */
export type Stopping = Pick<ModelReply, "finish" | "nulls" | "parts">;

const mostAsksAgain = 2;

/**
 * How the run ends with what the model said last. Where that does not fit the answer that is wanted, the model is told
 * so and asked again, twice at most.
 */
export const lastWord = (
  wanted: WantedAnswer | undefined,
  progress: RunProgress,
  { finish, nulls, parts }: Stopping,
): RunEnding | undefined => {
  const { text: content } = progress;
  const isSilent = isBlank(content) && parts === undefined;
  const reason = whyCutOff(finish) ?? (wanted === undefined && isSilent ? saidNothing : undefined);
  if (reason !== undefined) return { status: "stopped", content, parts, reason };
  if (wanted === undefined) return { status: "done", content, parts };
  const read = readAnswer(wanted.form, { text: content, ...(nulls && { nulls }) }, wanted.repair);
  if (read.ok) return { ...answered(content, read), parts };
  if (progress.asksAgain >= mostAsksAgain) {
    const tries = `The model was asked ${mostAsksAgain + 1} times, and its answer does not fit`;
    return { status: "stopped", content, reason: `${tries}: ${read.problem}` };
  }
  progress.asksAgain += 1;
  progress.messages.push({ role: "user", content: toCorrection(wanted.form, read.problem) });
  return undefined;
};

/** How the run ends with the value by which a tool ended it, given as JSON. */
export const lastValue = (
  wanted: WantedAnswer | undefined,
  { text: content, json, parts }: FinalAnswer,
): RunEnding => {
  if (wanted === undefined) return { status: "done", content, parts };
  const read = readFinal(wanted.form, json);
  if (read.ok) return { ...answered(content, read), parts };
  const reason = `A tool ended the run with a value that does not fit the agent's \`output\`: ${read.problem}`;
  return { status: "stopped", content, parts, reason };
};

const answered = (content: string, { value, changes }: Extract<ReadAnswer, { ok: true }>): RunEnding => ({
  status: "done",
  content,
  answer: { value, changes },
});

const whyCutOff = (finish: Finish): string | undefined => {
  if (finish === "length") return "The model was cut off: its reply reached the longest it may be.";
  if (finish === "filter") return "The provider's filter stopped the model.";
  if (finish === "refusal") return "The model refused to answer.";
  return undefined;
};

const saidNothing = "The model said nothing.";

/** Providers refuse a message of blanks as they refuse an empty one. */
export const isBlank = (text: string): boolean => !/\S/.test(text);
