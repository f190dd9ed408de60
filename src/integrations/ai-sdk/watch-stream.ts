import type { ModelOutputPart, NoteUntrustedPart } from "./note-untrusted-parts.ts";

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
export const watchStream = async <Part extends ModelOutputPart>(
  stream: ReadableStream<Part>,
  note: NoteUntrustedPart,
  signal: AbortSignal,
): Promise<WatchedStream<Part>> => {
  type Finish = Extract<Part, { type: "finish" }>;
  const finished = Promise.withResolvers<Finish | undefined>();
  // Where the first part fails, nobody waits for the end.
  finished.promise.catch(() => {});
  const reader = stream.getReader();
  const read: Awaited<ReturnType<typeof reader.read>>[] = [];
  for (let hasContent = false; !hasContent; ) {
    const next = await untilAborted(reader.read(), signal);
    read.push(next);
    hasContent = next.done || !emptyPartTypes.has(next.value.type);
  }
  let finish: Finish | undefined;
  let failure: { readonly error: unknown } | undefined;

  const watched = new ReadableStream<Part>({
    start: (controller) => {
      const cancelRead = (): void => {
        finished.reject(signal.reason);
        controller.error(signal.reason);
        reader.cancel(signal.reason).catch(() => {});
      };
      signal.addEventListener("abort", cancelRead, { once: true });
      finished.promise.finally(() => signal.removeEventListener("abort", cancelRead)).catch(() => {});
    },
    pull: async (controller) => {
      try {
        const { done, value } = read.shift() ?? (await reader.read());
        if (done) {
          if (failure === undefined) finished.resolve(finish);
          else finished.reject(failure.error);
          controller.close();
          return;
        }
        if (value.type === "finish") finish = value as Finish;
        if (value.type === "error") failure = { error: (value as { readonly error?: unknown }).error };
        await note(value);
        controller.enqueue(value);
      } catch (error) {
        finished.reject(error);
        // Given up meanwhile: the reader has been told.
        if (!signal.aborted) controller.error(error);
      }
    },
    cancel: async (reason) => {
      finished.resolve(finish);
      await reader.cancel(reason);
    },
  });
  return { stream: watched, finish: finished.promise };
};

const emptyPartTypes: ReadonlySet<string> = new Set(["stream-start", "response-metadata"]);

const untilAborted = <A>(work: Promise<A>, signal: AbortSignal): Promise<A> => {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
};
