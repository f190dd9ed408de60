import type { Entry } from "./answer-entries.ts";
import type { AnswerEnding, AnswerLog } from "./answer-log.ts";
import type { Chunk } from "./chunk.ts";

/** An entry as one person sees it: only whoever may answer a question is asked it. */
export const shownChunk = ({ chunk, question }: Entry, mayAnswer: boolean): Chunk => {
  if (question === undefined || mayAnswer) return chunk;
  const { id, tool, toolCallId } = question;
  const elsewhere = (state: "waiting" | "allowed" | "denied"): Chunk => ({
    type: "data-approval",
    id,
    data: { toolCallId, tool, state },
  });
  if (chunk.type === "tool-approval-request") return elsewhere("waiting");
  return chunk.type === "tool-approval-response" ? elsewhere(chunk.approved ? "allowed" : "denied") : chunk;
};

/** How an answer ends in the page. */
export const lastChunks = (ending: AnswerEnding, { usage }: AnswerLog): readonly Chunk[] => {
  const finish = (finishReason: string): Chunk => ({
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
      return [{ type: "abort", reason: "It was stopped." }, finish("other")];
    case "failed":
      return [{ type: "error", errorText: ending.text }];
  }
};

/**
 * Whether a page that goes on with a message which it has up to `step` needs this entry: what became of the calls of that
 * step, and all that came after it.
 */
export const isNewAfter = (step: number, { step: of, chunk }: Entry): boolean => {
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
