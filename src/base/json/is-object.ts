/** Foreign JSON of which nothing is known but that it has members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** An object with members, which an array is not. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
