import { getStream, postStream, readAnswer } from "./api-request.ts";

interface StreamEvent<Event> {
  readonly name: string;
  readonly data: Event;
}

/** EventSource cannot send a POST. */
export async function* postEvents<Event>(
  path: string,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<Event>> {
  yield* readEvents<Event>(await postStream(path, body, signal));
}

/** EventSource would reconnect when the stream ends. */
export async function* getEvents<Event>(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent<Event>> {
  yield* readEvents<Event>(await getStream(path, signal));
}

async function* readEvents<Event>(response: Response): AsyncGenerator<StreamEvent<Event>> {
  if (!response.ok || response.body === null) {
    await readAnswer(response);
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field("data");
      if (data !== undefined) yield { name: field("event") ?? "message", data: JSON.parse(data) as Event };
    }
  }
}
