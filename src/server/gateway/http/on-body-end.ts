/** Calls `onEnd` once, when the body is read, fails or is canceled. */
export const onBodyEnd = (response: Response, onEnd: () => void): Response => {
  const { body, status, headers } = response;
  if (body === null) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  const watchedBody = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      end();
      return reader.cancel(reason);
    },
  });
  return new Response(watchedBody, { status, headers });
};
