import type { ChatQuestion } from "../../runtime/chat/chats.ts";
import { answerIdOf } from "./answer.ts";
import type { AnswerLog } from "./answer-log.ts";
import type { Chunk } from "./chunk.ts";
import { isNewAfter, lastChunks, shownChunk } from "./shown-chunk.ts";

/** One page that reads an answer. */
export interface Viewing {
  readonly messageId: string;
  readonly log: AnswerLog;
  /** The page has the answer up to this step. Unless set: nothing of it. */
  readonly after?: number | undefined;
  readonly mayAnswer: (question: ChatQuestion) => Promise<boolean>;
  /** Waits until somebody else has answered, and gives the answer that goes on. Nothing where this person may answer. */
  readonly goesOn: (log: AnswerLog, signal: AbortSignal) => Promise<AnswerLog | undefined>;
  /** The page has gone, or has read it all. */
  readonly onClosed: () => void;
}

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-vercel-ai-ui-message-stream": "v1",
  // Proxies must not gather it.
  "x-accel-buffering": "no",
};

const aliveMs = 15_000;

/** The answer as AI SDK's UI message stream. It is read at the page's pace, and a page that goes away stops nothing. */
export const streamAnswer = (viewing: Viewing): Response => {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const texts = textsOf(viewing, gone.signal);
  let alive: ReturnType<typeof setInterval> | undefined;
  const close = (): void => {
    clearInterval(alive);
    if (!gone.signal.aborted) viewing.onClosed();
    gone.abort();
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      alive = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": alive\n\n"));
      }, aliveMs);
      alive.unref?.();
    },
    pull: async (controller) => {
      const next = await texts.next().catch((error: unknown) => {
        close();
        throw error;
      });
      if (gone.signal.aborted) return;
      if (next.done !== true) return controller.enqueue(encoder.encode(next.value));
      close();
      controller.close();
    },
    cancel: close,
  });
  return new Response(body, { headers });
};

const toText = (chunk: Chunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

async function* textsOf(viewing: Viewing, gone: AbortSignal): AsyncGenerator<string> {
  const { messageId, mayAnswer } = viewing;
  let { log, after } = viewing;
  let read = 0;
  let step = after ?? 0;
  yield toText({ type: "start", messageId: answerIdOf(messageId) });
  while (!gone.aborted) {
    let text = "";
    for (; read < log.entries.length; read += 1) {
      const entry = log.entries[read]!;
      if (after !== undefined && !isNewAfter(after, entry)) continue;
      step = Math.max(step, entry.step);
      const { question } = entry;
      text += toText(shownChunk(entry, question === undefined || (await mayAnswer(question))));
    }
    if (text !== "") yield text;
    if (read < log.entries.length) continue;
    if (log.ending === undefined) {
      await log.more(read, gone);
      continue;
    }
    const next = log.ending.kind === "waiting" ? await viewing.goesOn(log, gone) : undefined;
    if (next === undefined) break;
    log = next;
    after = step;
    read = 0;
  }
  if (gone.aborted || log.ending === undefined) return;
  yield `${lastChunks(log.ending, log).map(toText).join("")}data: [DONE]\n\n`;
}
