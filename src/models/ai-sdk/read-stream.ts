/** The parts of a web stream as they come. Cancels the stream when nobody reads on, or on an abort. */
export async function* readStream(stream: unknown, signal: AbortSignal): AsyncGenerator<unknown, void> {
  const reader = (stream as ReadableStream<unknown>).getReader();
  const cancel = (): void => {
    // A stream that is over or broken refuses, and there is nothing left to cancel.
    reader.cancel(signal.reason).catch(() => {});
  };
  signal.addEventListener("abort", cancel, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
