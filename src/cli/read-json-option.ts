import { readJson } from "../base/json/read-json.ts";
import { CommandUsageError } from "./command.ts";

export const readJsonOption = (name: string, text: string): unknown => {
  const reading = readJson(text);
  if (reading.ok) return reading.value;
  throw new CommandUsageError(`--${name} must be JSON: ${reading.problem.message}`);
};
