import { isPlainObject } from "../json/is-plain-object.ts";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isPlainObject(value);
