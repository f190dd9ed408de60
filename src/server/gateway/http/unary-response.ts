import { textResponse } from "../../request/http-error.ts";

/** In milliseconds. */
const maxUnaryWaitMs = 50;

const decoder = new TextDecoder();
const dataMarker = "\ndata: ";

const messageIn = (chunk: Uint8Array): string | undefined => {
  const text = decoder.decode(chunk);
  if (!text.startsWith("event: message\n")) return undefined;
  const at = text.indexOf(dataMarker);
  const end = text.length - 2;
  return at < 0 || !text.endsWith("\n\n") ? undefined : text.slice(at + dataMarker.length, end);
};

const isResponseMessage = (message: string): boolean => {
  const { method, id } = JSON.parse(message) as { readonly method?: unknown; readonly id?: unknown };
  return method === undefined && id !== undefined;
};

type StreamChunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]>>;

/**
 * Replaces the event stream by plain JSON, which is cheaper, if its first message is the response and arrives
 * soon.
 */
export const toUnaryResponse = async (response: Response, withinMs = maxUnaryWaitMs): Promise<Response> => {
  const { body, headers, status } = response;
  if (body === null || headers.get("content-type") !== "text/event-stream") return response;
  const reader = body.getReader();
  const readChunks: Uint8Array[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), withinMs);
  });
  let reading: Promise<StreamChunk> | undefined;
  try {
    for (;;) {
      reading = reader.read();
      const read = await Promise.race([reading, late]);
      if (read === "late") break;
      reading = undefined;
      if (read.done) break;
      readChunks.push(read.value);
      const message = messageIn(read.value);
      if (message === undefined) continue;
      if (!isResponseMessage(message)) break;
      const session = headers.get("mcp-session-id");
      return textResponse(message, 200, session === null ? {} : { "mcp-session-id": session });
    }
  } finally {
    clearTimeout(timer);
  }
  return new Response(continueStream(reader, readChunks, reading), { status, headers });
};

const continueStream = (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  readChunks: readonly Uint8Array[],
  reading: Promise<StreamChunk> | undefined,
): ReadableStream<Uint8Array> => {
  let pending = reading;
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of readChunks) controller.enqueue(chunk);
    },
    pull: async (controller) => {
      const read = pending ?? reader.read();
      pending = undefined;
      const { done, value } = await read;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
};
