const keepAliveMs = 15_000;
/** Readers that are this far behind are disconnected. */
const maxBufferedBytes = 2 * 1_048_576;

export interface EventStreamWriter {
  /** Disconnects readers that are too slow. */
  readonly write: (text: string) => void;
  /** Resolves when the reader has caught up or has disconnected. */
  readonly ready: () => Promise<void>;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

export interface EventStreamOptions {
  /** Each ends the stream: rights that end, a disconnected client, a closing server. */
  readonly signals?: readonly AbortSignal[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamEvent {
  readonly name?: string;
  readonly id?: string;
  readonly data: unknown;
}

export const toEventText = (event: StreamEvent): string => {
  const name = event.name === undefined ? "" : `event: ${event.name}\n`;
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  return `${name}${id}data: ${JSON.stringify(event.data)}\n\n`;
};

/** Server-sent events with keep-alive comments. `begin` returns a cleanup function, which is called once. */
export const eventStream = (
  { signals = [], headers = {} }: EventStreamOptions,
  begin: (writer: EventStreamWriter) => () => void,
): Response => {
  const encoder = new TextEncoder();
  let detach = (): void => {};
  let onPull = (): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        let isOver = false;
        let stop: (() => void) | undefined;
        const hasRoom = (): boolean => (controller.desiredSize ?? 0) > 0;
        const keepAlive = setInterval(() => {
          if (hasRoom()) writer.write(": keep-alive\n\n");
        }, keepAliveMs);
        keepAlive.unref();
        detach = () => {
          if (isOver) return;
          isOver = true;
          clearInterval(keepAlive);
          for (const signal of signals) signal.removeEventListener("abort", end);
          onPull();
          stop?.();
        };
        const end = (): void => {
          if (isOver) return;
          detach();
          controller.close();
        };
        const writer: EventStreamWriter = {
          write: (text) => {
            if (isOver) return;
            if (hasRoom()) controller.enqueue(encoder.encode(text));
            else end();
          },
          ready: async () => {
            if (isOver || hasRoom()) return;
            await new Promise<void>((resolve) => {
              onPull = resolve;
            });
          },
          end,
          fail: (error) => {
            if (isOver) return;
            detach();
            controller.error(error);
          },
        };
        for (const signal of signals) signal.addEventListener("abort", end, { once: true });
        stop = begin(writer);
        if (isOver) stop();
        else if (signals.some(({ aborted }) => aborted)) end();
      },
      pull: () => onPull(),
      cancel: () => detach(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Disables proxy buffering.
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
};
