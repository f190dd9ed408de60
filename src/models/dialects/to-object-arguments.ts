import { hasNoArguments } from "../../base/json/has-no-arguments.ts";
import { isObject, type JsonObject } from "../../base/json/is-object.ts";
import { readJson } from "../../base/json/read-json.ts";
/**
 * The arguments of an earlier call for a vendor that takes nothing but an object. What is none goes back under
 * one key, so that the model sees what it wrote beside the reply that says what was wrong with it.
 */
export const toObjectArguments = (input: unknown): JsonObject => {
  if (isObject(input)) return input;
  if (input === undefined || input === null) return {};
  if (typeof input !== "string") return { unreadable: input };
  if (hasNoArguments(input)) return {};
  const reading = readJson(input);
  return reading.ok && isObject(reading.value) ? reading.value : { unreadable: input };
};
