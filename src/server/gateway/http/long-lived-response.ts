const longLivedResponses = new WeakSet<Response>();

/** Marks notification streams, which last until one side closes them. */
export const markLongLived = (response: Response): Response => {
  longLivedResponses.add(response);
  return response;
};

export const isLongLived = (response: Response): boolean => longLivedResponses.has(response);
