const longLivedResponses = new WeakSet<Response>();

/** A stream that answers nothing and lasts until somebody ends it. */
export const markLongLived = (response: Response): Response => {
  longLivedResponses.add(response);
  return response;
};

export const isLongLived = (response: Response): boolean => longLivedResponses.has(response);
