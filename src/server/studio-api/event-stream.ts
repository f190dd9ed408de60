import type { ApiContext } from "./api-context.ts";

/** Says one event to whoever reads the stream. Nothing is kept for a reader that is gone. */
export type SendEvent = (event: {
  readonly name?: string;
  readonly id?: string;
  readonly data: unknown;
}) => void;

const keepAliveMs = 15_000;
/** So many bytes wait for a reader that does not read; then its stream ends, and it may come back. */
const maxBufferedBytes = 2 * 1_048_576;

/** What ends a stream: the Studio closes, the reader leaves, signs out, or its session expires. */
export const streamSignals = ({ world: studio, person, request }: ApiContext): readonly AbortSignal[] => [
  studio.closed,
  request.signal,
  ...(person.endsAt === undefined ? [] : [AbortSignal.timeout(Math.max(0, person.endsAt - studio.now()))]),
  ...(person.signedOut === undefined ? [] : [person.signedOut]),
];

/**
 * A stream of server-sent events. `begin` is given how to tell and how to end, and gives back what to do when the reader
 * leaves or the Studio closes. A comment every now and then keeps proxies from cutting a silent stream.
 */
export const eventStream = (
  signals: readonly AbortSignal[],
  begin: (tell: SendEvent, end: () => void) => () => void,
): Response => {
  const encoder = new TextEncoder();
  let detach: () => void = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        let isOver = false;
        let stop: (() => void) | undefined;
        const write = (text: string): void => {
          if (isOver) return;
          controller.enqueue(encoder.encode(text));
          if (controller.desiredSize !== null && controller.desiredSize < 0) end();
        };
        const keepAlive = setInterval(() => write(": here\n\n"), keepAliveMs);
        keepAlive.unref();
        detach = (): void => {
          if (isOver) return;
          isOver = true;
          clearInterval(keepAlive);
          for (const signal of signals) signal.removeEventListener("abort", end);
          stop?.();
        };
        const end = (): void => {
          if (isOver) return;
          detach();
          controller.close();
        };
        for (const signal of signals) signal.addEventListener("abort", end, { once: true });
        stop = begin(({ name, id, data }) => {
          const lines = [
            ...(name === undefined ? [] : [`event: ${name}`]),
            ...(id === undefined ? [] : [`id: ${id}`]),
            `data: ${JSON.stringify(data)}`,
          ];
          write(`${lines.join("\n")}\n\n`);
        }, end);
        if (isOver) stop();
        else if (signals.some(({ aborted }) => aborted)) end();
      },
      cancel: () => detach(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    },
  });
};
