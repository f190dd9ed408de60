import type { ChatApproval } from "../../../runtime/chat/open-chats.ts";
import { eventStream, toEventText } from "../../request/event-stream.ts";
import type { AnswerLog } from "./answer-log.ts";
import { answerIdOf } from "./chat-answer.ts";
import { chunkForViewer, endingChunks, isAfterStep } from "./chunk-for-viewer.ts";
import type { UiChunk } from "./ui-chunk.ts";

export interface AnswerView {
  readonly messageId: string;
  readonly log: AnswerLog;
  /** The page already has the answer up to this step. */
  readonly after?: number | undefined;
  readonly mayAnswer: (question: ChatApproval) => Promise<boolean>;
  /** The continued answer, after another person has answered. Undefined if this person may answer. */
  readonly goesOn: (log: AnswerLog, signal: AbortSignal) => Promise<AnswerLog | undefined>;
  readonly onClosed: () => void;
}

/** An AI SDK UI message stream with backpressure. Canceling it does not stop the answer. */
export const streamAnswer = (view: AnswerView): Response =>
  eventStream({ headers: { "x-vercel-ai-ui-message-stream": "v1" } }, ({ write, ready, end, fail }) => {
    const disconnected = new AbortController();
    const writeAll = async (): Promise<void> => {
      for await (const text of sseTexts(view, disconnected.signal)) {
        write(text);
        await ready();
      }
    };
    void writeAll().then(end, fail);
    return () => {
      disconnected.abort();
      view.onClosed();
    };
  });

const toSseText = (chunk: UiChunk): string => toEventText({ data: chunk });

async function* sseTexts(view: AnswerView, gone: AbortSignal): AsyncGenerator<string> {
  const { messageId, mayAnswer } = view;
  let { log, after } = view;
  let read = 0;
  let step = after ?? 0;
  yield toSseText({ type: "start", messageId: answerIdOf(messageId) });
  while (!gone.aborted) {
    let text = "";
    for (; read < log.entries.length; read += 1) {
      const entry = log.entries[read]!;
      if (after !== undefined && !isAfterStep(after, entry)) continue;
      step = Math.max(step, entry.step);
      const { question } = entry;
      text += toSseText(chunkForViewer(entry, question === undefined || (await mayAnswer(question))));
    }
    if (text !== "") yield text;
    if (read < log.entries.length) continue;
    if (log.ending === undefined) {
      await log.waitForMore(read, gone);
      continue;
    }
    const next = log.ending.kind === "waiting" ? await view.goesOn(log, gone) : undefined;
    if (next === undefined) break;
    log = next;
    after = step;
    read = 0;
  }
  if (gone.aborted || log.ending === undefined) return;
  yield `${endingChunks(log.ending, log).map(toSseText).join("")}data: [DONE]\n\n`;
}
