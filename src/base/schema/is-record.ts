import { isPlainObject } from "../json/plain.ts";

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && isPlainObject(value);
