/** A scheme, a host and a port that is not the usual one; nothing behind it, not even a slash. */
export const isOrigin = (origin: unknown): boolean =>
  typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;
