import type { ModelOutputPart, NoteUntrustedPart } from "./note-untrusted-parts.ts";

export interface WatchedStream<Part> {
  readonly stream: ReadableStream<Part>;
  /** Undefined if the reader cancelled. Rejects if the reply fails. */
  readonly finish: Promise<Extract<Part, { type: "finish" }> | undefined>;
}

/**
 * Resolves when the first part with content has arrived, so that an earlier failure can be retried. An abort
 * fails the stream.
 */
export const watchStream = async <Part extends ModelOutputPart>(
  stream: ReadableStream<Part>,
  note: NoteUntrustedPart,
  signal: AbortSignal,
): Promise<WatchedStream<Part>> => {
  type Finish = Extract<Part, { type: "finish" }>;
  const finished = Promise.withResolvers<Finish | undefined>();
  // Prevents an unhandled rejection.
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
        // On abort, the reader has received the error already.
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
