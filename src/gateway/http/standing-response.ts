const standing = new WeakSet<Response>();

/** A stream that answers nothing and lasts until somebody ends it. */
export const standingResponse = (response: Response): Response => {
  standing.add(response);
  return response;
};

export const isStanding = (response: Response): boolean => standing.has(response);
