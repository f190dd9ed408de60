export const isOrigin = (origin: unknown): boolean =>
  typeof origin === "string" && URL.canParse(origin) && new URL(origin).origin === origin;
