import { readJson } from "../json/read-json.ts";

type Arguments = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Arguments =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The arguments of an earlier call for a vendor that takes nothing but an object. What is none goes back under
 * one key, so that the model sees what it wrote beside the reply that says what was wrong with it.
 */
export const objectArguments = (input: unknown): Arguments => {
  if (isObject(input)) return input;
  if (input === undefined || input === "") return {};
  if (typeof input !== "string") return { unreadable: input };
  const reading = readJson(input);
  return reading.ok && isObject(reading.value) ? reading.value : { unreadable: input };
};
