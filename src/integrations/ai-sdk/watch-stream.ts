import type { NoteWords, SaidPart } from "./note-words.ts";

/** A stream of a model's answer that somebody else reads. */
export interface WatchedStream<Part> {
  readonly stream: ReadableStream<Part>;
  /** The part that ends the answer, once it was read, or nothing where the reader left; fails where the answer did. */
  readonly finish: Promise<Extract<Part, { type: "finish" }> | undefined>;
}

/**
 * Hands the parts on at the reader's pace. The first that says anything is there before the stream is given away, so that
 * an answer which breaks off before can be asked for again; when the question is given up, the reader is told.
 */
export const watchStream = async <Part extends SaidPart>(
  stream: ReadableStream<Part>,
  note: NoteWords,
  signal: AbortSignal,
): Promise<WatchedStream<Part>> => {
  type Finish = Extract<Part, { type: "finish" }>;
  const over = Promise.withResolvers<Finish | undefined>();
  // Where the first part fails, nobody waits for the end.
  over.promise.catch(() => {});
  const reader = stream.getReader();
  const read: Awaited<ReturnType<typeof reader.read>>[] = [];
  for (let isSaid = false; !isSaid; ) {
    const next = await untilAborted(reader.read(), signal);
    read.push(next);
    isSaid = next.done || !saysNothing.has(next.value.type);
  }
  let finish: Finish | undefined;
  let failure: { readonly error: unknown } | undefined;

  const watched = new ReadableStream<Part>({
    start: (controller) => {
      const giveUp = (): void => {
        over.reject(signal.reason);
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => {});
      };
      signal.addEventListener("abort", giveUp, { once: true });
      over.promise.finally(() => signal.removeEventListener("abort", giveUp)).catch(() => {});
    },
    pull: async (controller) => {
      try {
        const { done, value } = read.shift() ?? (await reader.read());
        if (done) {
          if (failure === undefined) over.resolve(finish);
          else over.reject(failure.error);
          controller.close();
          return;
        }
        if (value.type === "finish") finish = value as Finish;
        if (value.type === "error") failure = { error: (value as { readonly error?: unknown }).error };
        await note(value);
        controller.enqueue(value);
      } catch (error) {
        over.reject(error);
        // Given up meanwhile: the reader has been told.
        if (!signal.aborted) controller.error(error);
      }
    },
    cancel: async (reason) => {
      over.resolve(finish);
      await reader.cancel(reason);
    },
  });
  return { stream: watched, finish: over.promise };
};

const saysNothing: ReadonlySet<string> = new Set(["stream-start", "response-metadata"]);

const untilAborted = <A>(work: Promise<A>, signal: AbortSignal): Promise<A> => {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
};
