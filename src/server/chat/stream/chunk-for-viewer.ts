import type { AnswerEntry } from "./answer-entries.ts";
import type { AnswerEnding, AnswerLog } from "./answer-log.ts";
import type { UiChunk } from "./ui-chunk.ts";

/** Viewers who may not answer an approval see only its state. */
export const chunkForViewer = ({ chunk, question }: AnswerEntry, canAnswer: boolean): UiChunk => {
  if (question === undefined || canAnswer) return chunk;
  const { id, tool, toolCallId } = question;
  const externalApproval = (state: "waiting" | "allowed" | "denied"): UiChunk => ({
    type: "data-approval",
    id,
    data: { toolCallId, tool, state },
  });
  if (chunk.type === "tool-approval-request") return externalApproval("waiting");
  return chunk.type === "tool-approval-response"
    ? externalApproval(chunk.approved ? "allowed" : "denied")
    : chunk;
};

export const endingChunks = (ending: AnswerEnding, { usage }: AnswerLog): readonly UiChunk[] => {
  const finish = (finishReason: string): UiChunk => ({
    type: "finish",
    finishReason,
    messageMetadata: { usage },
  });
  switch (ending.kind) {
    case "done":
      return [finish("stop")];
    case "waiting":
      return [finish("tool-calls")];
    case "stopped":
      return [{ type: "data-stopped", data: { reason: ending.reason }, transient: true }, finish("other")];
    case "aborted":
      return [{ type: "abort", reason: "The answer was stopped." }, finish("other")];
    case "failed":
      return [{ type: "error", errorText: ending.text }];
  }
};

/**
 * Whether a page that has the message up to `step` needs this entry: results of that step, and later steps.
 */
export const isAfterStep = (step: number, { step: of, chunk }: AnswerEntry): boolean => {
  if (of !== step) return of > step;
  const { type } = chunk;
  return (
    type === "tool-approval-response" ||
    type === "data-approval" ||
    type === "tool-output-available" ||
    type === "tool-output-error" ||
    type === "tool-output-denied" ||
    type === "file" ||
    type === "finish-step"
  );
};
