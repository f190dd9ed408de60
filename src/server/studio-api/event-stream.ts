import type { ApiContext } from "./api-context.ts";

export type SendEvent = (event: {
  readonly name?: string;
  readonly id?: string;
  readonly data: unknown;
}) => void;

const keepAliveMs = 15_000;
/** Slower readers are disconnected. */
const maxBufferedBytes = 2 * 1_048_576;

export const streamSignals = ({ studio, person, request }: ApiContext): readonly AbortSignal[] => [
  studio.closed,
  request.signal,
  ...(person.expiresAt === undefined
    ? []
    : [AbortSignal.timeout(Math.max(0, person.expiresAt - studio.now()))]),
  ...(person.signedOut === undefined ? [] : [person.signedOut]),
];

/** Server-sent events with keep-alive comments. `begin` returns a cleanup function. */
export const eventStream = (
  signals: readonly AbortSignal[],
  begin: (send: SendEvent, end: () => void) => () => void,
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
        const keepAlive = setInterval(() => write(": keep-alive\n\n"), keepAliveMs);
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
