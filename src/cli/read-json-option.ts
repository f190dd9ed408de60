import { readJson } from "../base/json/read-json.ts";
import { CommandUsageError } from "./command-usage-error.ts";

/** The JSON of an option, read as strictly as what a model writes. */
export const readJsonOption = (name: string, text: string): unknown => {
  const reading = readJson(text);
  if (reading.ok) return reading.value;
  throw new CommandUsageError(`--${name} takes JSON: ${reading.problem.message}`);
};
