import { hasNoArguments, isObject, type JsonObject } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
/** Other input is placed under one key, so that the model sees what it wrote. */
export const toObjectArguments = (input: unknown): JsonObject => {
  if (isObject(input)) return input;
  if (input === undefined || input === null) return {};
  if (typeof input !== "string") return { unreadable: input };
  if (hasNoArguments(input)) return {};
  const reading = readJson(input);
  return reading.ok && isObject(reading.value) ? reading.value : { unreadable: input };
};
