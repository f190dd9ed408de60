import type { ChatApproval } from "../../../runtime/chat/open-chats.ts";
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

const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  // Disables proxy buffering.
  "x-accel-buffering": "no",
};

const keepAliveMs = 15_000;

/** An AI SDK UI message stream with backpressure. Canceling it does not stop the answer. */
export const streamAnswer = (view: AnswerView): Response => {
  const disconnected = new AbortController();
  const encoder = new TextEncoder();
  const texts = sseTexts(view, disconnected.signal);
  let keepAliveTimer: ReturnType<typeof setInterval> | undefined;
  const close = (): void => {
    clearInterval(keepAliveTimer);
    if (!disconnected.signal.aborted) view.onClosed();
    disconnected.abort();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      keepAliveTimer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": alive\n\n"));
      }, keepAliveMs);
      keepAliveTimer.unref?.();
    },
    pull: async (controller) => {
      const next = await texts.next().catch((error: unknown) => {
        close();
        throw error;
      });
      if (disconnected.signal.aborted) return;
      if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
      close();
      controller.close();
    },
    cancel: close,
  });
  return new Response(body, { headers: streamHeaders });
};

const toSseText = (chunk: UiChunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

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
