import { isObject, type JsonObject } from "../json/is-object.ts";
import { isNoArguments } from "../json/no-arguments.ts";
import { readJson } from "../json/read-json.ts";
/**
 * The arguments of an earlier call for a vendor that takes nothing but an object. What is none goes back under
 * one key, so that the model sees what it wrote beside the reply that says what was wrong with it.
 */
export const objectArguments = (input: unknown): JsonObject => {
  if (isObject(input)) return input;
  if (input === undefined || input === null) return {};
  if (typeof input !== "string") return { unreadable: input };
  if (isNoArguments(input)) return {};
  const reading = readJson(input);
  return reading.ok && isObject(reading.value) ? reading.value : { unreadable: input };
};
