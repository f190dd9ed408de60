/** The same response; whoever waits for it hears once when its body is over, read to the end or given up. */
export const watchEnd = (response: Response, ended: () => void): Response => {
  const { body, status, headers } = response;
  if (body === null) {
    ended();
    return response;
  }
  const reader = body.getReader();
  let isOver = false;
  const over = (): void => {
    if (isOver) return;
    isOver = true;
    ended();
  };
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      } catch (error) {
        over();
        controller.error(error);
      }
    },
    cancel: (reason) => {
      over();
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status, headers });
};
