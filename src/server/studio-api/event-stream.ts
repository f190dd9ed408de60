/** Says one event to whoever reads the stream. Nothing is kept for a reader that is gone. */
export type Tell = (event: { readonly name?: string; readonly id?: string; readonly data: unknown }) => void;

const beatMs = 15_000;
/** So many bytes wait for a reader that does not read; then its stream ends, and it may come back. */
const mostWaiting = 2 * 1_048_576;

/**
 * A stream of server-sent events. `begin` is given how to tell and how to end, and gives back what to do when the reader
 * leaves or the Studio closes. A comment every now and then keeps proxies from cutting a silent stream.
 */
export const eventStream = (
  signals: readonly AbortSignal[],
  begin: (tell: Tell, end: () => void) => () => void,
): Response => {
  const encoder = new TextEncoder();
  let leave: () => void = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        let isOver = false;
        let stop: (() => void) | undefined;
        const say = (text: string): void => {
          if (isOver) return;
          controller.enqueue(encoder.encode(text));
          if (controller.desiredSize !== null && controller.desiredSize < 0) end();
        };
        const beat = setInterval(() => say(": here\n\n"), beatMs);
        beat.unref();
        leave = (): void => {
          if (isOver) return;
          isOver = true;
          clearInterval(beat);
          for (const signal of signals) signal.removeEventListener("abort", end);
          stop?.();
        };
        const end = (): void => {
          if (isOver) return;
          leave();
          controller.close();
        };
        for (const signal of signals) signal.addEventListener("abort", end, { once: true });
        stop = begin(({ name, id, data }) => {
          const lines = [
            ...(name === undefined ? [] : [`event: ${name}`]),
            ...(id === undefined ? [] : [`id: ${id}`]),
            `data: ${JSON.stringify(data)}`,
          ];
          say(`${lines.join("\n")}\n\n`);
        }, end);
        if (isOver) stop();
        else if (signals.some(({ aborted }) => aborted)) end();
      },
      cancel: () => leave(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
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
